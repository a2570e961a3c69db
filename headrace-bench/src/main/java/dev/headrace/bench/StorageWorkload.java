package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Raw;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import dev.headrace.data.TfRecordWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A workload of MLPerf Storage: what its files are like, and how fast an accelerator consumes them.
 *
 * @param files how many are made of it; MLPerf asks for five times the machine's memory
 * @param recordBytes in the mean, with a standard deviation of {@code deviationBytes} between files
 * @param step what the accelerator takes for a batch
 * @param bar the utilisation that MLPerf asks for
 */
record StorageWorkload(
    String name,
    Kind kind,
    int files,
    int recordsPerFile,
    int recordBytes,
    int deviationBytes,
    int batch,
    Duration step,
    double bar) {

  /** How a workload's files are laid out and read. */
  enum Kind {
    /** Many records in each TFRecord file, shuffled. */
    MANY_RECORDS,
    /** A TFRecord file for each record. */
    ONE_RECORD,
    /** A file of bytes for each sample, of which a crop is trained on. */
    CROPPED
  }

  /** What UNet3D trains on of each volume: 128 × 128 × 128 bytes. */
  static final int CROP_BYTES = 1 << 21;

  private static final Seed SEED = Seed.of(7);
  private static final int SHUFFLED = 1_024;
  private static final int BLOCK = 1 << 20;

  /** ResNet-50 on one H100: JPEGs of ImageNet, not decoded. */
  static StorageWorkload resNet50(double scale) {
    return new StorageWorkload(
        "ResNet-50",
        Kind.MANY_RECORDS,
        scaled(4, scale, 1),
        1_251,
        114_660,
        0,
        400,
        Duration.ofMillis(224),
        0.9);
  }

  /** CosmoFlow on one H100. */
  static StorageWorkload cosmoFlow(double scale) {
    return new StorageWorkload(
        "CosmoFlow",
        Kind.ONE_RECORD,
        scaled(256, scale, 1),
        1,
        2_828_486,
        71_311,
        1,
        Duration.ofNanos(3_500_000),
        0.7);
  }

  /** UNet3D on one H100. */
  static StorageWorkload unet3d(double scale) {
    return new StorageWorkload(
        "UNet3D",
        Kind.CROPPED,
        scaled(14, scale, 7),
        1,
        146_600_628,
        68_341_808,
        7,
        Duration.ofMillis(323),
        0.9);
  }

  /** A multiple of {@code unit}, so that no epoch has a remainder to drop. */
  private static int scaled(int files, double scale, int unit) {
    return (int) Math.max(1, Math.round(files * scale / unit)) * unit;
  }

  /** What the accelerator asks for, in bytes a second, with records of this size. */
  double demand(double meanRecordBytes) {
    return batch * meanRecordBytes / (step.toNanos() / 1e9);
  }

  // ---- files ------------------------------------------------------------------------------------

  /** Makes the files; how many bytes the records have in all. */
  long write(Path folder, Consumer<String> progress) throws IOException {
    Random random = new Random(1);
    byte[] block = new byte[BLOCK];
    random.nextBytes(block);
    double deviation = 0;
    long total = 0;
    for (int file = 0; file < files; file++) {
      if (file % Math.max(1, files / 8) == 0) {
        progress.accept("%s: writing file %d of %d".formatted(name, file + 1, files));
      }
      // In pairs around the mean, so that a few files ask for what many would.
      deviation = file % 2 == 0 ? Math.clamp(random.nextGaussian(), -2, 2) : -deviation;
      int bytes = (int) Math.max(1, recordBytes + Math.round(deviationBytes * deviation));
      Path path = folder.resolve(String.format(Locale.ROOT, "data-%05d%s", file, ending()));
      writeFile(path, bytes, block);
      total += (long) bytes * recordsPerFile;
    }
    return total;
  }

  private String ending() {
    return kind == Kind.CROPPED ? ".raw" : ".tfrecord";
  }

  private void writeFile(Path path, int bytes, byte[] block) throws IOException {
    if (kind == Kind.CROPPED) {
      try (OutputStream out = Files.newOutputStream(path)) {
        for (int left = bytes; left > 0; left -= block.length) {
          out.write(block, 0, Math.min(left, block.length));
        }
      }
      return;
    }
    byte[] record = new byte[bytes];
    for (int at = 0; at < bytes; at += block.length) {
      System.arraycopy(block, 0, record, at, Math.min(block.length, bytes - at));
    }
    try (TfRecordWriter writer = new TfRecordWriter(path)) {
      for (int i = 0; i < recordsPerFile; i++) {
        writer.write(record);
      }
    }
  }

  /** What files have beside their records. */
  long frameBytes() {
    return kind == Kind.CROPPED ? 0 : (long) files * recordsPerFile * TfRecordFormat.FRAME_BYTES;
  }

  // ---- reading ----------------------------------------------------------------------------------

  /** The pipeline, as a user would write it. */
  Dataset<Tensor> dataset(Path folder) {
    String pattern = folder + "/data-*" + ending();
    return switch (kind) {
      case MANY_RECORDS ->
          Dataset.tfRecords(pattern)
              .shuffle(SHUFFLED, SEED)
              .map(record -> Raw.decode(record, DType.UINT8))
              .batch(batch, true)
              .prefetch(AUTOTUNE);
      case ONE_RECORD ->
          Dataset.listFiles(pattern, SEED)
              .interleave(file -> Dataset.tfRecords(file), 8, 1, AUTOTUNE)
              .map(record -> Raw.decode(record, DType.UINT8))
              .batch(batch, true)
              .prefetch(AUTOTUNE);
      case CROPPED ->
          Dataset.listFiles(pattern, SEED)
              .map(StorageWorkload::crop, AUTOTUNE)
              .batch(batch, true)
              .prefetch(AUTOTUNE);
    };
  }

  /** Reads all of a file, and keeps what is in its middle. */
  private static Tensor crop(Path file) throws IOException {
    byte[] kept = new byte[CROP_BYTES];
    long start = Math.max(0, (Files.size(file) - kept.length) / 2);
    PlainReading.ofFile(
        file,
        (at, piece) -> {
          long from = Math.max(at, start);
          long to = Math.min(at + piece.remaining(), start + kept.length);
          if (from < to) {
            MemorySegment.copy(
                MemorySegment.ofBuffer(piece),
                from - at,
                MemorySegment.ofArray(kept),
                from - start,
                to - from);
          }
        });
    return Tensor.wrap(Shape.of(kept.length), kept);
  }
}
