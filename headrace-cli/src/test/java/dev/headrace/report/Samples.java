package dev.headrace.report;

import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Finding;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import dev.headrace.profile.Trial;
import dev.headrace.profile.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Diagnoses as a run could give them, for the tests of what is made from them. */
final class Samples {
  static final Circumstances CIRCUMSTANCES =
      new Circumstances(
          "15 November 2026, 10:42 CET",
          "0.1.0",
          "25.0.1+8-LTS, OpenJDK 64-Bit Server VM",
          "Linux 6.12.0 amd64",
          "AMD EPYC 9354 32-Core Processor",
          "headrace doctor Train.java --seconds 20");

  private static final double MS = 1e6;

  private Samples() {}

  /** Photos decoded one after another, so that the training step waits most of the time. */
  static Diagnosis flowers() {
    double decode = 4.13 * MS;
    double step = 18.4 * MS;
    double batch = 32 * (decode + 0.0021 * MS + 0.41 * MS) + 1.9 * MS;
    double seconds = 20.2;
    long delivered = (long) (seconds * 1e9 / batch);
    List<OpProfile> operators =
        List.of(
            new OpProfile(
                new OpProfile.Place(
                    "0", -1, 0, "prefetch", "prefetch (Train.java:27)", "prefetch(2)", false),
                new OpProfile.Output(delivered, 0, 1),
                new OpProfile.Times(3_100, 2_600, 500),
                new OpProfile.Sizes(19.3e6, 19.3e6),
                null,
                crew(1, false, 0.998, 2, false, 0.06, 0.97, batch, batch, 0.08),
                null),
            op(
                "0.0",
                0,
                0,
                "batch",
                "batch (Train.java:26)",
                "batch(32)",
                false,
                delivered,
                1,
                1.9 * MS,
                1.7 * MS,
                0.1 * MS,
                19.3e6,
                null),
            op(
                "0.0.0",
                1,
                0,
                "shuffle",
                "shuffle (Train.java:25)",
                "shuffle(1000, seed 42)",
                false,
                32 * delivered,
                32,
                2_100,
                2_000,
                0,
                602_112,
                null),
            op(
                "0.0.0.0",
                2,
                0,
                "map",
                "map 'decode' (Train.java:22)",
                "map(Train::decode)",
                false,
                32 * delivered,
                32,
                decode,
                3.98 * MS,
                0.1 * MS,
                602_112,
                null),
            op(
                "0.0.0.0.0",
                3,
                0,
                "map",
                "map (Train.java:21)",
                "map(Files::readAllBytes)",
                false,
                32 * delivered,
                32,
                0.41 * MS,
                0.07 * MS,
                0.33 * MS,
                41_200,
                null),
            op(
                "0.0.0.0.0.0",
                4,
                0,
                "listFiles",
                "listFiles (Train.java:20)",
                "listFiles(\"flowers/*/*.jpg\")",
                true,
                32 * delivered,
                32,
                310,
                300,
                0,
                64,
                null));
    Profile profile =
        profile(
            operators,
            seconds,
            delivered,
            step,
            batch - step,
            3,
            moments(
                operators,
                24,
                120,
                (batch - step) / batch,
                new double[] {0, .012, .0, .87, .086, 0},
                new double[] {0.06, 0, 0, 0, 0, 0},
                1e9 / batch));
    double wait = (batch - step) / batch;
    return new Diagnosis(
        new Verdict(
            Verdict.Kind.SERIAL_BOUND,
            3,
            "map 'decode' (Train.java:22)",
            "map 'decode' (Train.java:22) decodes one photo after another on one thread, while 6.9"
                + " of 8 cores are idle.",
            List.of(
                "4.13 ms for each of 32 photos: 132 ms a batch, the training step takes 18.4 ms",
                "96 % of that time is computing, so more threads help until the cores are used up"),
            wait,
            1 - wait),
        List.of(
            new Advice(
                Advice.Action.PARALLELISE,
                3,
                "0.0.0.0",
                "map 'decode' (Train.java:22)",
                "Decode on several threads",
                ".map(Train::decode, AUTOTUNE)",
                6.31,
                42.9,
                "map (Train.java:21) would limit: it reads one file after another",
                38_000_000,
                true,
                List.of("8 cores, 1.1 of them used", "the function is declared pure")),
            new Advice(
                Advice.Action.CACHE,
                3,
                "0.0.0.0",
                "after map 'decode' (Train.java:22)",
                "Keep decoded photos in memory after the first epoch",
                ".cache()",
                5.9,
                40.1,
                "the training step would limit",
                2_210_000_000L,
                true,
                List.of(
                    "3,670 photos of 602 kB fit into the heap budget of 4.0 GB",
                    "the first epoch stays as slow as it is")),
            new Advice(
                Advice.Action.PACK_FILES,
                5,
                "0.0.0.0.0.0",
                "listFiles (Train.java:20)",
                "Pack the photos into a few TFRecord files",
                "headrace records pack 'flowers/*/*.jpg' flowers.tfrecord",
                1.09,
                7.4,
                "map 'decode' (Train.java:22) would still limit",
                0,
                false,
                List.of("0.33 ms of waiting for each small file")),
            new Advice(
                Advice.Action.REMOVE,
                0,
                "0",
                "prefetch (Train.java:27)",
                "A longer prefetch cannot help",
                "leave prefetch(2) as it is",
                1,
                6.8,
                "",
                0,
                false,
                List.of(
                    "its buffer was empty at 97 % of the pulls: it is filled slower than it is"
                        + " emptied"))),
        List.of(
            new Finding(
                Finding.Severity.PROBLEM,
                "shuffle-of-decoded",
                "shuffle (Train.java:25)",
                "It holds 1,000 decoded photos of 602 kB where 1,000 paths of 64 bytes would do.",
                List.of("602 MB of the heap budget of 4.0 GB"),
                "Shuffle the paths before they are read: .shuffle(1_000, seed) behind listFiles."),
            new Finding(
                Finding.Severity.HINT,
                "serial-read",
                "map (Train.java:21)",
                "Files are read one after another.",
                List.of(),
                "Give it a parallelism, or read in the decoding function."),
            new Finding(
                Finding.Severity.NOTE,
                "first-epoch",
                "",
                "The first epoch was 4 % slower than the others: the code was not compiled yet.",
                List.of(),
                "")),
        profile,
        """
        prefetch(2)   (Train.java:27)
          ← batch(32)   (Train.java:26)
            ← shuffle(1000, seed 42)   (Train.java:25)
              ← map(Train::decode) 'decode'   (Train.java:22)
                ← map(Files::readAllBytes)   (Train.java:21)
                  ← listFiles("flowers/*/*.jpg")   (Train.java:20)
        """);
  }

  /** The same after decoding and reading were given threads. */
  static Diagnosis faster() {
    Diagnosis before = flowers();
    double step = 18.4 * MS;
    double wait = 5.1 * MS;
    double seconds = 20.1;
    long delivered = (long) (seconds * 1e9 / (step + wait));
    List<OpProfile> operators = new ArrayList<>();
    for (OpProfile op : before.profile().operators()) {
      boolean isDecode = op.key().equals("0.0.0.0");
      long elements = (long) (delivered * op.perDelivered());
      operators.add(
          new OpProfile(
              new OpProfile.Place(
                  op.key(),
                  op.pulledBy(),
                  op.key().length() >= 7 ? 3 : 0,
                  op.word(),
                  op.path(),
                  isDecode ? "map(Train::decode, AUTOTUNE)" : op.description(),
                  op.isSource()),
              new OpProfile.Output(elements, 0, op.perDelivered()),
              new OpProfile.Times(op.ns() * (isDecode ? 1.21 : 1), op.cpuNs(), op.waitNs()),
              new OpProfile.Sizes(op.bytes(), op.bytesP99()),
              null,
              isDecode
                  ? crew(7.6, true, 0.905, 48, true, 22, 0.18, 0.42 * MS, 0.08 * MS, 0.31)
                  : op.crew(),
              null));
    }
    double share = wait / (wait + step);
    return new Diagnosis(
        new Verdict(
            Verdict.Kind.INPUT_BOUND,
            3,
            "map 'decode' (Train.java:22)",
            "map 'decode' (Train.java:22) computes on all cores; the training loop still waits 22 %"
                + " of its time.",
            List.of("7.6 of 8 cores decode"),
            share,
            1 - share),
        List.of(before.advice().get(1)),
        List.of(),
        profile(
            operators,
            seconds,
            delivered,
            step,
            wait,
            12,
            moments(
                operators,
                24,
                120,
                share,
                new double[] {.02, .08, .01, 6.9, .6, .01},
                new double[] {0.8, 0, 0, 22, 0, 0},
                1e9 / (step + wait))),
        before.plan().replace("map(Train::decode)", "map(Train::decode, AUTOTUNE)"));
  }

  static List<Trial> trials() {
    return List.of(new Trial(flowers().advice().getFirst(), flowers(), faster()));
  }

  /** A plan with branches, a device and many threads, which keeps the training step busy. */
  static Diagnosis branches() {
    long n = 5_200;
    List<OpProfile> operators =
        List.of(
            new OpProfile(
                new OpProfile.Place(
                    "0",
                    -1,
                    -1,
                    "prefetchToDevice",
                    "prefetchToDevice (Fit.java:40)",
                    "prefetchToDevice(gpu 0, 2)",
                    false),
                new OpProfile.Output(n, 0, 1),
                new OpProfile.Times(0.4 * MS, 0.1 * MS, 0.3 * MS),
                new OpProfile.Sizes(12e6, 12e6),
                null,
                crew(1, false, 0.12, 2, false, 1.9, 0.001, 1000, 900, .1),
                new OpProfile.Transfer(
                    "gpu 0 (NVIDIA H200)",
                    true,
                    new OpProfile.TransferTimes(0.46 * MS, 0.2 * MS, 0.05 * MS, 0.01 * MS, 3 * MS),
                    12e6,
                    new OpProfile.Room(36_000_000, 8_000_000_000L, false))),
            op(
                "0.0",
                0,
                0,
                "batch",
                "batch (Fit.java:39)",
                "batch(64)",
                false,
                n,
                1,
                0.31 * MS,
                0.3 * MS,
                0,
                12e6,
                null),
            op(
                "0.0.0",
                1,
                0,
                "zip",
                "zip (Fit.java:37)",
                "zip",
                false,
                64 * n,
                64,
                60,
                60,
                0,
                190_000,
                null),
            op(
                "0.0.0.0",
                2,
                3,
                "map",
                "map 'augment' (Fit.java:33)",
                "map(Fit::augment, AUTOTUNE)",
                false,
                64 * n,
                64,
                0.2 * MS,
                0.19 * MS,
                0,
                188_000,
                crew(3.2, true, 0.61, 256, true, 198, 0.002, 5_000, 4_000, .2)),
            op(
                "0.0.0.0.0",
                3,
                4,
                "interleave",
                "interleave (Fit.java:30)",
                "interleave(16)",
                false,
                64 * n,
                64,
                21_000,
                9_000,
                11_000,
                188_000,
                crew(4, true, 0.22, 128, true, 120, 0.001, 200, 200, .4)),
            op(
                "0.0.0.0.0.0",
                4,
                4,
                "listFiles",
                "listFiles (Fit.java:29)",
                "listFiles(\"*.tfrecord\")",
                true,
                160,
                0.02,
                900,
                900,
                0,
                80,
                null),
            op(
                "0.0.0.1",
                2,
                0,
                "concatenate",
                "concatenate (Fit.java:36)",
                "concatenate",
                false,
                64 * n,
                64,
                40,
                40,
                0,
                8,
                null),
            op(
                "0.0.0.1.0",
                6,
                0,
                "csv",
                "csv (Fit.java:34)",
                "csv(\"labels-a.csv\")",
                true,
                40 * n,
                40,
                700,
                600,
                90,
                8,
                null),
            op(
                "0.0.0.1.1",
                6,
                0,
                "csv",
                "csv (Fit.java:35)",
                "csv(\"labels-b.csv\")",
                true,
                24 * n,
                24,
                710,
                600,
                95,
                8,
                null));
    double step = 11.4 * MS;
    return new Diagnosis(
        new Verdict(
            Verdict.Kind.CONSUMER_BOUND,
            -1,
            "the training step",
            "The training step is the limit: the pipeline keeps up and its buffers are full.",
            List.of("the pipeline alone would deliver 2.4 times as much"),
            0.008,
            0.992),
        List.of(),
        List.of(
            new Finding(
                Finding.Severity.NOTE,
                "memory-to-give-back",
                "interleave (Fit.java:30)",
                "Its buffer of 128 elements was never less than 110 full.",
                List.of(),
                "A buffer of 16 would do and gives back 21 MB.")),
        profile(
            operators,
            60,
            n,
            step,
            0.09 * MS,
            2,
            moments(
                operators,
                62,
                150,
                0.008,
                new double[] {.12, .03, .02, 2, .9, 0, .01, .03, .02},
                new double[] {1.9, 0, 0, 198, 120, 0, 0, 0, 0},
                87)),
        "prefetchToDevice(gpu 0, 2)   (Fit.java:40)\n  ← batch(64)   (Fit.java:39)\n");
  }

  private static OpProfile.Crew crew(
      double workers,
      boolean isTuned,
      double busy,
      int capacity,
      boolean isBufferTuned,
      double fill,
      double empty,
      double pullNs,
      double pullCpuNs,
      double variation) {
    return new OpProfile.Crew(
        new OpProfile.Size(workers, isTuned, busy),
        new OpProfile.Buffer(capacity, isBufferTuned, fill, empty),
        new OpProfile.Pull(pullNs, pullCpuNs),
        new OpProfile.Work(0, 0, 0, variation, 1, new double[0], 0),
        new double[0]);
  }

  private static OpProfile op(
      String key,
      int pulledBy,
      int runBy,
      String word,
      String path,
      String description,
      boolean isSource,
      long elements,
      double perDelivered,
      double ns,
      double cpuNs,
      double waitNs,
      double bytes,
      OpProfile.@Nullable Crew crew) {
    return new OpProfile(
        new OpProfile.Place(key, pulledBy, runBy, word, path, description, isSource),
        new OpProfile.Output(elements, 0, perDelivered),
        new OpProfile.Times(ns, cpuNs, waitNs),
        new OpProfile.Sizes(bytes, bytes * 1.2),
        null,
        crew,
        null);
  }

  private static Profile profile(
      List<OpProfile> operators,
      double seconds,
      long delivered,
      double step,
      double wait,
      long epochs,
      List<Profile.Moment> timeline) {
    Random random = new Random(7);
    double[] steps = new double[120];
    double[] waits = new double[120];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = step * (1 + 0.06 * random.nextGaussian());
      waits[i] = Math.max(0, wait * (1 + 0.09 * random.nextGaussian()));
    }
    return new Profile(
        seconds,
        delivered,
        0.62,
        timeline.getLast().at(),
        epochs,
        new Profile.Consumer(step, step * 0.2, wait, wait * 0.01, wait * 0.98, steps, waits),
        new Profile.Machine(8, 0.2, 1.1, 0.006, 41, 8_000_000_000L, 730_000_000L),
        new Profile.Memory(
            640_000_000,
            655_000_000,
            4_000_000_000L,
            77_000_000,
            77_200_000,
            2_000_000_000L,
            Long.MAX_VALUE),
        operators,
        timeline);
  }

  private static List<Profile.Moment> moments(
      List<OpProfile> operators,
      double seconds,
      int count,
      double wait,
      double[] busy,
      double[] fill,
      double rate) {
    Random random = new Random(11);
    List<Profile.Moment> moments = new ArrayList<>();
    double piece = seconds / count;
    for (int i = 0; i < count; i++) {
      boolean isEpochStart = i % (count / 3) < 3;
      double[] threads = new double[operators.size()];
      int[] held = new int[operators.size()];
      for (int k = 0; k < threads.length; k++) {
        threads[k] = Math.max(0, busy[k] * (1 + 0.04 * random.nextGaussian()));
        held[k] = (int) Math.round(Math.max(0, fill[k] * (1 + 0.25 * random.nextGaussian())));
      }
      double warm = Math.min(1, (i + 1) / 9.0);
      moments.add(
          new Profile.Moment(
              (i + 1) * piece,
              piece,
              i / (count / 3),
              Math.round(rate * piece * (isEpochStart ? 0.7 : 1)),
              Math.clamp(
                  wait * (1 + 0.05 * random.nextGaussian()) + (isEpochStart ? 0.1 : 0), 0, 1),
              threads,
              held,
              (long) (warm * 640e6 + 9e6 * random.nextGaussian()),
              (long) (Math.min(1, i / 3.0) * 77e6),
              i % 17 == 5 ? 0.05 : 0.002));
    }
    return moments;
  }
}
