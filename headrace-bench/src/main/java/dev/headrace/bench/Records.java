package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.data.Compression;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Reading TFRecord files that lie in the page cache, both checksums of each record checked: CPU
 * time for each record, beside tf.data and beside copying the same bytes in memory.
 *
 * <p>A measurement is some whole passes over four files of 32 MiB; the pipeline stays open, as in
 * training, and the first pass, which maps the files, has a row of its own. tf.data's figure is the
 * best of the ways of {@code peers/tfdata/records.py}, each in two modes, and is consumed inside
 * its runtime, zipped, so that every record is made.
 */
final class Records implements Scenario {
  private static final int FILES = 4;
  private static final long BYTES = 128L << 20;
  private static final int MIB = 1 << 20;
  private static final double MEASURED_NS = 150e6;
  private static final String UNIT = "CPU ns/record";

  private static final List<String> WAYS =
      List.of("plain", "buffer_1m", "buffer_8m", "prefetch", "parallel");

  /** A size of records, and what reading them is meant to reach. */
  private record Size(String name, int bytes, double ratio) {
    long records() {
      return BYTES / bytes;
    }
  }

  private static final List<Size> SIZES =
      List.of(new Size("1 KB", 1000, 5), new Size("100 KB", 100_000, 2), new Size("1 MiB", MIB, 2));

  @Override
  public String name() {
    return "records";
  }

  @Override
  public String summary() {
    return "TFRecord files of small and large records, beside tf.data and memcpy; about 4 minutes";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException {
    Chains.warmUp();
    List<Row> rows = new ArrayList<>();
    try (TemporaryFolder temporary = TemporaryFolder.create("records")) {
      Path folder = temporary.path();
      for (Size size : SIZES) {
        setup.progress().accept("%s records: writing files".formatted(size.name));
        write(size, folder);
        rows.addAll(rows(size, setup, folder));
      }
    }
    return rows;
  }

  private static void write(Size size, Path folder) throws IOException {
    Random random = new Random(size.bytes);
    byte[] bytes = new byte[size.bytes];
    random.nextBytes(bytes);
    Dataset<byte[]> records =
        Dataset.range(size.records())
            .map(
                i -> {
                  byte[] record = bytes.clone();
                  record[0] = i.byteValue();
                  return record;
                });
    long unused =
        records.writeTfRecords(
            folder.resolve(Integer.toString(size.bytes)), FILES, Compression.NONE);
  }

  private static List<Row> rows(Size size, Setup setup, Path folder) {
    int pairs = setup.pairs();
    double[] first = new double[pairs];
    double[] ours = new double[pairs];
    double[] rate = new double[pairs];
    double[] copied = new double[pairs];
    Copying copying = new Copying(size.bytes);
    List<Way> ways = ways(size, setup.peer(), folder);
    // As written: reading ahead, where the engine finds that it helps, buys speed with CPU time.
    Dataset<?> dataset =
        Dataset.tfRecords(folder + "/" + size.bytes + "-*").options(Options::asWritten);
    try (Pipeline<?> pipeline = dataset.open()) {
      double passNs = Double.MAX_VALUE;
      for (int warm = 0; warm < 20; warm++) {
        passNs = Math.min(passNs, Spent.on(() -> Chains.read(pipeline)).wallNs());
        copying.pass();
      }
      int passes = (int) Math.clamp(MEASURED_NS / passNs, 1, 100);
      for (int pair = 0; pair < pairs; pair++) {
        setup.progress().accept("%s records: pair %d of %d".formatted(size.name, pair + 1, pairs));
        Spent spent = passes(passes, () -> Chains.read(pipeline), size);
        ours[pair] = spent.cpuNs();
        rate[pair] = size.bytes / spent.wallNs();
        copied[pair] = passes(passes, copying::pass, size).cpuNs();
        try (Pipeline<?> fresh = dataset.open()) {
          first[pair] = Spent.on(() -> Chains.read(fresh)).each(size.records()).cpuNs();
        }
        ways.forEach(Way::measure);
      }
    }
    List<Row> rows = new ArrayList<>();
    String name = size.name + " records";
    Way best =
        ways.stream().min(Comparator.comparingDouble(way -> way.cpu().median())).orElse(null);
    rows.add(
        best == null
            ? Row.alone(name, UNIT, Interval.of(ours), null)
            : Row.ofPairs(
                name, UNIT, ours, best.cpuNs, best.name(), Bar.ratioAtLeast(size.ratio), 0));
    boolean isLarge = size.bytes == MIB;
    rows.add(
        Row.ofPairs(
            name + " beside memcpy",
            UNIT,
            ours,
            copied,
            "memcpy of the same bytes",
            isLarge ? Bar.ratioAtLeast(0.8) : null,
            0));
    if (size.bytes == 1000) {
      rows.add(Row.alone(name + ", at most", UNIT, Interval.of(ours), Bar.atMost(350)));
    }
    rows.add(Row.alone(name + ", first pass", UNIT, Interval.of(first), null));
    rows.add(Row.alone(name + ", rate", "GB/s", Interval.of(rate), null));
    return rows;
  }

  private static Spent passes(int count, Runnable pass, Size size) {
    return Spent.on(
            () -> {
              for (int i = 0; i < count; i++) {
                pass.run();
              }
            })
        .each(count * size.records());
  }

  private static List<Way> ways(Size size, @Nullable TfData tfData, Path folder) {
    List<Way> ways = new ArrayList<>();
    if (tfData != null) {
      for (String way : WAYS) {
        for (TfData.Mode mode : List.of(TfData.Mode.DEFAULT, TfData.Mode.TUNED)) {
          ways.add(new Way(tfData, mode, way, size, folder));
        }
      }
    }
    return ways;
  }

  /** A way of reading the same files by tf.data, and what it took. */
  private static final class Way {
    private final TfData tfData;
    private final TfData.Mode mode;
    private final String way;
    private final Size size;
    private final Path folder;
    private double[] cpuNs = {};

    Way(TfData tfData, TfData.Mode mode, String way, Size size, Path folder) {
      this.tfData = tfData;
      this.mode = mode;
      this.way = way;
      this.size = size;
      this.folder = folder;
    }

    void measure() {
      String subject = String.format(Locale.ROOT, "records:%d:%s", size.bytes, way);
      cpuNs = Arrays.copyOf(cpuNs, cpuNs.length + 1);
      cpuNs[cpuNs.length - 1] = tfData.measureCase(subject, folder, mode, size.records()).cpuNs();
    }

    Interval cpu() {
      return Interval.of(cpuNs);
    }

    String name() {
      return tfData.name(mode) + ", " + way;
    }
  }

  /** Copies as many bytes as the records have, piece by piece, to other memory. */
  private static final class Copying {
    private final byte[] from = new byte[(int) BYTES];
    private final byte[] to = new byte[(int) BYTES];
    private final int piece;

    Copying(int piece) {
      this.piece = piece;
      new Random(1).nextBytes(from);
    }

    void pass() {
      for (int at = 0; at + piece <= from.length; at += piece) {
        System.arraycopy(from, at, to, at, piece);
      }
    }
  }
}
