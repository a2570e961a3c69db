package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.data.TfRecordFormat;
import dev.headrace.data.TfRecordIndex;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Store;
import dev.headrace.spi.StoredFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The indexes of all files of a source. What is damaged behind the last record of a file is one
 * place more, where a failure is.
 *
 * <p><b>Threading:</b> safe for any thread.
 */
final class RecordIndexes {
  private final List<TfRecordIndex> indexes = new CopyOnWriteArrayList<>();

  /** By file, the index after its last place. */
  private final long[] ends;

  private final FileListing listing;
  private final TfRecords settings;
  private final Consumer<String> warn;

  RecordIndexes(FileListing listing, TfRecords settings, Consumer<String> warn) throws IOException {
    this.listing = listing;
    this.settings = settings;
    this.warn = warn;
    if (listing.problem() != null) {
      throw new IOException(listing.problem().getMessage(), listing.problem());
    }
    List<StoredFile> files = listing.files();
    ends = new long[files.size()];
    long count = 0;
    for (int i = 0; i < ends.length; i++) {
      TfRecordIndex index =
          TfRecordIndex.of(files.get(i).local("an index"), settings.indexFolder(), warn);
      indexes.add(index);
      long left = index.size() - index.end();
      boolean isQuiet = left == 0 || left < TfRecordFormat.HEADER_BYTES && settings.quietEnd();
      count += index.records() + (isQuiet ? 0 : 1);
      ends[i] = count;
    }
  }

  /** How many places there are in all. */
  long size() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  TfRecordIndex of(int file) {
    return indexes.get(file);
  }

  /**
   * Makes the index of a file again, because records are not where it has them.
   *
   * @throws IOException if there are more or fewer of them: what was said of their number is wrong
   */
  void makeAgain(int file, TfRecordIndex wrong, RecordFile.WrongIndex why) throws IOException {
    synchronized (indexes) {
      if (indexes.get(file) != wrong) {
        return; // another thread has
      }
      Path path = listing.files().get(file).local("an index");
      warn.accept("%s: its index is made again: %s".formatted(path, why.getMessage()));
      TfRecordIndex made = TfRecordIndex.again(path, settings.indexFolder(), warn);
      if (made.records() != wrong.records() || made.end() != wrong.end()) {
        throw new IOException(
            "%s: expected %d %s up to byte %d, as its index had it, but there %s %d up to byte %d; the index was made again: open the pipeline again"
                .formatted(
                    path,
                    wrong.records(),
                    Plural.word(wrong.records(), "record"),
                    wrong.end(),
                    made.records() == 1 ? "is" : "are",
                    made.records(),
                    made.end()),
            why);
      }
      indexes.set(file, made);
    }
  }

  /** The file in which a place is. */
  int fileOf(long place) {
    int found = Arrays.binarySearch(ends, place + 1);
    int file = found < 0 ? -found - 1 : found;
    while (file > 0 && ends[file - 1] > place) {
      file--; // files without records have the same end as the one before
    }
    return file;
  }

  /** The number of a place in its file. */
  long numberIn(int file, long place) {
    return place - (file == 0 ? 0 : ends[file - 1]);
  }

  /** Parts of files that begin at records whose place is known. */
  List<InputSplit> splits(List<StoredFile> files, int wanted) throws IOException {
    int[] parts = FileSplits.parts(files, wanted);
    List<InputSplit> splits = new ArrayList<>();
    for (int i = 0; i < parts.length; i++) {
      TfRecordIndex index = indexes.get(i);
      String uri = FileSplits.uri(files.get(i));
      Store.Facts facts = files.get(i).facts();
      long places = ends[i] - (i == 0 ? 0 : ends[i - 1]);
      TfRecordIndex.Anchor from = index.before(0);
      for (int part = 1; part <= parts[i]; part++) {
        boolean isLast = part == parts[i];
        TfRecordIndex.Anchor next = index.atByte(index.size() / parts[i] * part);
        if (!isLast && next.number() <= from.number()) {
          continue; // fewer places are known than parts are wanted
        }
        long to = isLast ? index.size() : next.offset();
        long count = (isLast ? places : next.number()) - from.number();
        splits.add(
            new InputSplit(uri, from.offset(), to, from.number(), count, to - from.offset())
                .of(facts));
        from = next;
      }
    }
    return splits;
  }
}
