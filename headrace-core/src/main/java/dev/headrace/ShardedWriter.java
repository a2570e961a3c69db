package dev.headrace;

import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Deals elements out to TFRecord files, one each in turn.
 *
 * <p><b>Ownership:</b> closing without {@link #finish} leaves no file behind.
 */
final class ShardedWriter implements AutoCloseable {
  /** As many as their numbers have digits for; each is an open file. */
  private static final int MOST = 99_999;

  private final List<TfRecordWriter> writers = new ArrayList<>();
  private long records;
  private boolean isFinished;

  ShardedWriter(Path name, int shards, Compression compression) throws IOException {
    if (shards < 1 || shards > MOST) {
      throw new IllegalArgumentException(
          "writeTfRecords: expected from 1 to %d files, but got %d".formatted(MOST, shards));
    }
    try {
      for (int i = 0; i < shards; i++) {
        writers.add(new TfRecordWriter(shards == 1 ? name : shard(name, i, shards), compression));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Path shard(Path name, int index, int shards) {
    return name.resolveSibling(
        String.format(Locale.ROOT, "%s-%05d-of-%05d", name.getFileName(), index, shards));
  }

  void write(Object element) throws IOException {
    TfRecordWriter writer = writers.get((int) (records % writers.size()));
    switch (element) {
      case byte[] bytes -> writer.write(bytes);
      case Tensor tensor -> writer.write(tensor);
      default ->
          throw new IllegalArgumentException(
              "writeTfRecords: expected byte arrays or scalar tensors of bytes, but element %d is a %s; map it to its bytes before"
                  .formatted(records, element.getClass().getSimpleName()));
    }
    records++;
  }

  /** Gives the files their names and says how many records they have in all. */
  long finish() throws IOException {
    for (TfRecordWriter writer : writers) {
      writer.close();
    }
    isFinished = true;
    return records;
  }

  @Override
  public void close() throws IOException {
    if (!isFinished) {
      for (TfRecordWriter writer : writers) {
        writer.discard();
      }
    }
  }
}
