package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.TrainingStep;
import dev.headrace.data.Compression;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Verdict.Kind;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Plan;
import dev.headrace.testing.SyntheticStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Makes pipelines of which it is known what is wrong with them. */
final class Patients {
  /** An epoch so long that no run reaches its end. */
  private static final long LONG = 10_000_000;

  private static final String SLOW = "slow";
  private static final int MB = 1 << 20;

  private final Burn burn;
  private final Path folder;
  private final SplittableRandom random;
  private final List<Patient> all = new ArrayList<>();

  Patients(Burn burn, Path folder, long seed) {
    this.burn = burn;
    this.folder = folder;
    this.random = new SplittableRandom(seed);
  }

  List<Patient> all() throws IOException {
    slowStages();
    serialStages();
    slowDisks();
    smallFiles();
    tinyBuffers();
    slowConsumers();
    transfers();
    cacheThrash();
    skewedShards();
    uselessPrefetch();
    return all;
  }

  // ---- illnesses --------------------------------------------------------------------------------

  /** All cores compute, most of it in one place; or too few workers wait. */
  private void slowStages() {
    for (int i = 0; i < 4; i++) {
      int slow = between(600, 1500);
      int other = (int) (slow / fraction(1.6, 4));
      int batch = between(4, 12);
      long epoch = 2L * 500_000 / (slow + other) / batch * batch + batch;
      add(
          "slow stage",
          "computing %d us beside %d us, batch %d, short epochs".formatted(slow, other, batch),
          () ->
              Dataset.range(epoch)
                  .map(x -> burn.micros(other, x), AUTOTUNE)
                  .map(x -> burn.micros(slow, x), AUTOTUNE)
                  .named(SLOW)
                  .batch(batch, Collator.stack())
                  .prefetch(AUTOTUNE),
          step(fraction(0.2, 0.5) * batch * slow / 2),
          Kind.INPUT_BOUND,
          SLOW);
    }
    for (int i = 0; i < 4; i++) {
      int slow = between(3_000, 9_000);
      int workers = between(2, 4);
      int batch = between(2, 6);
      add(
          "slow stage",
          "waiting %d us on %d workers, batch %d".formatted(slow, workers, batch),
          () ->
              Dataset.range(LONG)
                  .map(x -> nap(slow, x), workers)
                  .named(SLOW)
                  .map(x -> burn.micros(100, x), AUTOTUNE)
                  .batch(batch, Collator.stack())
                  .prefetch(2),
          step(fraction(0.15, 0.6) * batch * slow / workers),
          Kind.INPUT_BOUND,
          SLOW);
    }
  }

  /** One element after another while cores are idle. */
  private void serialStages() {
    for (int i = 0; i < 10; i++) {
      boolean waits = i % 2 == 0;
      boolean prefetches = i % 4 < 2;
      int slow = between(800, 4_000);
      int other = (int) (slow / fraction(2, 8));
      int batch = between(2, 10);
      double step = (prefetches ? fraction(0.3, 0.6) : fraction(0.1, 0.5)) * batch * slow;
      add(
          "serial stage",
          "%s %d us, then computing %d us, batch %d%s"
              .formatted(
                  waits ? "waiting" : "computing",
                  slow,
                  other,
                  batch,
                  prefetches ? ", prefetch" : ""),
          () -> {
            Dataset<Tensor> batches =
                Dataset.range(LONG)
                    .map(x -> waits ? nap(slow, x) : burn.micros(slow, x))
                    .named(SLOW)
                    .map(x -> burn.micros(other, x))
                    .batch(batch, Collator.stack());
            return prefetches ? batches.prefetch(AUTOTUNE) : batches;
          },
          step(step),
          Kind.SERIAL_BOUND,
          SLOW);
    }
  }

  /** Reads that take long, one after another. */
  private void slowDisks() {
    for (int i = 0; i < 6; i++) {
      int latency = between(2_000, 8_000);
      int files = between(4, 8);
      int batch = between(2, 6);
      boolean interleaves = i % 3 != 2;
      double step = fraction(interleaves ? 0.1 : 0.4, interleaves ? 0.4 : 0.66) * batch * latency;
      add(
          "slow disk",
          "%d us a read, %s, batch %d"
              .formatted(latency, interleaves ? files + " files in turn" : "one file", batch),
          () ->
              interleaves
                  ? Dataset.range(files)
                      .interleave(file -> slowFile(latency), files, 1)
                      .named(SLOW)
                      .batch(batch, Collator.stack())
                      .prefetch(2)
                  : slowFile(latency).named(SLOW).batch(batch, Collator.stack()),
          step(step),
          Kind.SOURCE_BOUND,
          SLOW);
    }
  }

  private void smallFiles() throws IOException {
    Path files = Files.createDirectories(folder.resolve("small"));
    for (int i = 0; i < 400; i++) {
      Files.write(files.resolve("file-%04d".formatted(i)), new byte[2_000]);
    }
    for (int i = 0; i < 6; i++) {
      int latency = between(1_000, 4_000);
      int batch = between(2, 8);
      boolean prefetches = i % 2 == 0;
      add(
          "small files",
          "%d us to open one, batch %d%s".formatted(latency, batch, prefetches ? ", prefetch" : ""),
          () -> {
            Dataset<Tensor> batches =
                Dataset.listFiles(files + "/*")
                    .repeat()
                    .map(
                        file -> {
                          nap(latency, 0);
                          return Tensor.wrapString(
                              java.lang.foreign.MemorySegment.ofArray(Files.readAllBytes(file)));
                        })
                    .named(SLOW)
                    .batch(batch);
            return prefetches ? batches.prefetch(2) : batches;
          },
          step(fraction(0.2, 0.6) * batch * latency),
          Kind.SOURCE_BOUND,
          SLOW);
    }
  }

  /** Times that vary on both sides of a buffer of one. */
  private void tinyBuffers() {
    for (int i = 0; i < 6; i++) {
      int mean = between(3_000, 8_000);
      double variation = fraction(1, 2);
      double stepVariation = fraction(0.8, 1.5);
      int seed = i;
      add(
          "tiny buffer",
          "%d us, varying by %.1f, the step by %.1f".formatted(mean, variation, stepVariation),
          () -> Dataset.generator(() -> varying(mean, variation, seed)).prefetch(1).named(SLOW),
          () ->
              SyntheticStep.waiting(Duration.ofNanos((long) (mean * 1e3 * 0.95)))
                  .withJitter(stepVariation, Seed.of(seed)),
          Kind.BUFFER_BOUND,
          SLOW);
    }
  }

  private void slowConsumers() {
    for (int i = 0; i < 6; i++) {
      int cost = between(200, 1_000);
      int batch = between(2, 8);
      boolean computes = i % 3 == 2;
      double step = fraction(1.7, 4) * cost * batch;
      add(
          "slow consumer",
          "%s %.0f us against %d us"
              .formatted(computes ? "computing" : "waiting", step, cost * batch),
          () ->
              Dataset.range(LONG)
                  .map(x -> burn.micros(cost, x))
                  .batch(batch, Collator.stack())
                  .prefetch(2),
          () ->
              computes
                  ? SyntheticStep.computing(Duration.ofNanos((long) (step * 1e3)))
                  : SyntheticStep.waiting(Duration.ofNanos((long) (step * 1e3))),
          Kind.CONSUMER_BOUND,
          null);
    }
  }

  /** A bus that is slower than the step, or memory that is not pinned. */
  private void transfers() {
    for (int i = 0; i < 6; i++) {
      boolean pinned = i % 2 == 0;
      int bytes = between(2, 5) * MB;
      int bus = between(8_000, 16_000);
      int make = (int) (bus / fraction(2, 4));
      double step = bus / fraction(1.7, 4);
      HostDevice.Simulation device =
          HostDevice.simulated().bytesPerSecond(bytes * 1_000_000L / bus).pinned(pinned);
      all.add(
          Patient.of(
                  pinned ? "slow transfer" : "unpinned transfer",
                  "%d us on the bus, made in %d us".formatted(bus, make),
                  () -> sent(bytes, make, device.open()),
                  step(step),
                  Kind.TRANSFER_BOUND,
                  SLOW)
              .curedBy(Advice.Action.PIN, () -> sent(bytes, make, device.pinned(true).open())));
    }
  }

  private Dataset<Tensor> sent(int bytes, int make, Device device) {
    byte[] content = new byte[bytes];
    return Dataset.range(LONG)
        .map(
            x -> {
              long _ = burn.micros(make, x);
              return Tensor.wrap(Shape.of(bytes), content);
            })
        .prefetchToDevice(device)
        .named(SLOW);
  }

  /** A cache on disk that takes longer to read back than its elements take to make. */
  private void cacheThrash() {
    for (int i = 0; i < 4; i++) {
      int side = between(400, 800);
      int cost = between(100, 300);
      Path file = folder.resolve("cache-" + i);
      Supplier<Dataset<?>> without =
          () -> Dataset.range(24).map(x -> enlarged(x, side, cost)).named("make").prefetch(2);
      all.add(
          Patient.of(
                  "cache thrash",
                  "elements of %d kB, made in %d us, packed"
                      .formatted(side * side * 4 / 1000, cost),
                  () ->
                      Dataset.range(24)
                          .map(x -> enlarged(x, side, cost))
                          .named("make")
                          .cache(file, Compression.ZLIB)
                          .named(SLOW)
                          .prefetch(2),
                  step(500),
                  Kind.MEMORY_BOUND,
                  SLOW)
              .curedBy(Advice.Action.REMOVE, without));
    }
  }

  /** Datasets that take turns, one of them slower than the others. */
  private void skewedShards() {
    for (int i = 0; i < 5; i++) {
      int files = between(3, 6);
      int usual = between(800, 2_000);
      int slow = (int) (usual * fraction(3, 6));
      int even = (usual * (files - 1) + slow) / files;
      int batch = between(2, 4);
      double step = fraction(0.05, 0.3) * slow * batch / files;
      all.add(
          Patient.of(
                  "skewed shards",
                  "%d in turn, %d us, one %d us".formatted(files, usual, slow),
                  () -> shards(files, file -> file == 0 ? slow : usual, batch),
                  step(step),
                  Kind.SOURCE_BOUND,
                  SLOW)
              .curedBy(Advice.Action.EVEN_OUT, () -> shards(files, file -> even, batch)));
    }
  }

  private void uselessPrefetch() {
    for (int i = 0; i < 6; i++) {
      int cost = between(500, 3_000);
      int batch = between(2, 6);
      boolean atEnd = i % 2 == 0;
      Supplier<Dataset<?>> dataset =
          () -> {
            Dataset<Long> made = Dataset.range(LONG).map(x -> burn.micros(cost, x)).named(SLOW);
            return atEnd
                ? made.batch(batch, Collator.stack()).prefetch(16).named("useless")
                : made.prefetch(16).named("useless").batch(batch, Collator.stack());
          };
      Patient patient =
          Patient.of(
              "useless prefetch",
              "%d us and no step, prefetch %s"
                  .formatted(cost, atEnd ? "at the end" : "before batch"),
              dataset,
              step(0),
              Kind.SERIAL_BOUND,
              SLOW);
      all.add(patient.mustFind("useless-prefetch"));
    }
  }

  // ---- what they are made of --------------------------------------------------------------------

  private static Dataset<Tensor> shards(
      int files, java.util.function.LongToIntFunction micros, int batch) {
    return Dataset.range(files)
        .interleave(
            file -> (Plan<Long>) Dataset.range(LONG).map(x -> nap(micros.applyAsInt(file), x)),
            files,
            1,
            files)
        .named(SLOW)
        .batch(batch, Collator.stack())
        .prefetch(2);
  }

  private static Dataset<Long> slowFile(int latencyMicros) {
    return Dataset.generator(
        () ->
            new Iterator<Long>() {
              private long next;

              @Override
              public boolean hasNext() {
                return true;
              }

              @Override
              public Long next() {
                return nap(latencyMicros, next++);
              }
            });
  }

  private static Iterator<Long> varying(int meanMicros, double variation, long seed) {
    SplittableRandom times = new SplittableRandom(seed + 100);
    double sigma = Math.sqrt(Math.log(1 + variation * variation));
    return new Iterator<>() {
      private long next;

      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public Long next() {
        double factor = Math.exp(sigma * times.nextGaussian() - sigma * sigma / 2);
        return nap((int) Math.min(factor * meanMicros, 30.0 * meanMicros), next++);
      }
    };
  }

  private Tensor enlarged(long x, int side, int cost) {
    long salt = burn.micros(cost, x);
    float[] values = new float[side * side];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) ((i ^ salt) & 0x3ff);
    }
    return Tensor.of(Shape.of(side, side), values);
  }

  /** Waits as a disk or a network makes one wait. */
  static long nap(int micros, long result) {
    long until = System.nanoTime() + micros * 1_000L;
    for (long left = micros * 1_000L; left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    return result;
  }

  private static Supplier<TrainingStep<Object>> step(double micros) {
    return () -> SyntheticStep.waiting(Duration.ofNanos((long) (micros * 1e3)));
  }

  private void add(
      String illness,
      String name,
      Supplier<Dataset<?>> dataset,
      Supplier<TrainingStep<Object>> step,
      Kind verdict,
      @org.jspecify.annotations.Nullable String operator) {
    all.add(Patient.of(illness, name, dataset, step, verdict, operator));
  }

  private int between(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  private double fraction(double low, double high) {
    return random.nextDouble(low, high);
  }
}
