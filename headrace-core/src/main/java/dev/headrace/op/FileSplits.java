package dev.headrace.op;

import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Store;
import dev.headrace.spi.StoredFile;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How sources of files are taken apart into splits. */
final class FileSplits {
  private FileSplits() {}

  /** The files of a source; throws what is wrong with them. */
  static List<StoredFile> files(FileListing listing) throws IOException {
    if (listing.problem() != null) {
      throw new IOException(listing.problem().getMessage(), listing.problem());
    }
    return listing.files();
  }

  /** Each file as a whole. */
  static List<InputSplit> whole(FileListing listing) throws IOException {
    List<InputSplit> splits = new ArrayList<>();
    for (StoredFile file : files(listing)) {
      Store.Facts facts = file.facts();
      splits.add(InputSplit.ofFile(uri(file), facts.size()).of(facts));
    }
    return splits;
  }

  /** How many parts each file makes, if all are to make about so many of about the same size. */
  static int[] parts(List<StoredFile> files, int wanted) throws IOException {
    long[] sizes = new long[files.size()];
    long total = 0;
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = files.get(i).facts().size();
      total += sizes[i];
    }
    int[] parts = new int[sizes.length];
    double each = Math.max(1, (double) total / Math.max(wanted, 1));
    for (int i = 0; i < parts.length; i++) {
      parts[i] = (int) Math.clamp(Math.round(sizes[i] / each), 1, wanted);
    }
    return parts;
  }

  /** A name that means the same in every process that can see the file. */
  static String uri(StoredFile file) throws IOException {
    Path local = file.local();
    if (local != null && local.getFileSystem() != FileSystems.getDefault()) {
      throw new IOException(
          "%s: expected a file that another process finds by its name, but it is in %s; copy it to the default file system"
              .formatted(local, local.getFileSystem()));
    }
    return local == null ? file.name() : local.toAbsolutePath().toString();
  }

  /** The file of a split, read as the files of a source were. */
  static InputFiles of(InputSplit split, InputFiles source) throws IOException {
    StoredFile file = StoredFile.of(split.uri());
    Path local = file.local();
    split.check(file.facts());
    InputFiles one = local == null ? InputFiles.named(split.uri()) : InputFiles.of(local);
    return one.compressed(source.compression());
  }
}
