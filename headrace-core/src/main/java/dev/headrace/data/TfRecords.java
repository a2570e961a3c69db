package dev.headrace.data;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How TFRecord files are read: {@code TfRecords.defaults().indexed()}.
 *
 * @param quietEnd whether a file that is cut inside a record's header ends there without an error
 * @param hasIndex whether records are found by an index of each file
 * @param indexFolder where indexes are kept; null for beside the files
 */
public record TfRecords(boolean quietEnd, boolean hasIndex, @Nullable Path indexFolder) {
  private static final TfRecords DEFAULTS = new TfRecords(false, false, null);

  /** Everything that is damaged is reported, and no index is needed. */
  public static TfRecords defaults() {
    return DEFAULTS;
  }

  /**
   * As tf.data: a file that is cut inside a record's header, which a writer that was killed leaves
   * behind, ends there without a word.
   */
  public TfRecords lenient() {
    return new TfRecords(true, hasIndex, indexFolder);
  }

  /**
   * Finds records by an index, which is kept beside each file as {@code .headrace/x.tfrecord.index}
   * and made again where it is missing, stale or damaged. With it the number of records is known,
   * they can be read by their index and in random order, skipping reads but a few headers, and a
   * record whose data is damaged costs that record instead of the rest of its file. For files of
   * this machine that are not packed.
   */
  public TfRecords indexed() {
    return new TfRecords(quietEnd, true, null);
  }

  /**
   * As {@link #indexed()}, with indexes kept in a folder: for files that lie where others write.
   */
  public TfRecords indexedIn(Path folder) {
    Objects.requireNonNull(folder, "tfRecords: expected a folder for indexes, but got null");
    return new TfRecords(quietEnd, true, folder);
  }

  /** What was said that is not the default. */
  @Override
  public String toString() {
    return (quietEnd ? "lenient" : "strict") + (hasIndex ? " indexed" : "");
  }
}
