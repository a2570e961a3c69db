package dev.headrace.profile.lint;

import dev.headrace.op.ListFilesOp;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.StoredFile;
import java.io.IOException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a source as they are now. Those of other stores are not asked for, since a linter
 * must not wait for a network; they count as none, as do files that cannot be listed.
 *
 * @param count 0 where it is not known
 */
record LocalFiles(long count, long bytes) {
  static final LocalFiles UNKNOWN = new LocalFiles(0, 0);

  /** A name that some store might understand; a drive has one letter. */
  private static final Pattern ELSEWHERE = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  static LocalFiles of(InputFiles files) {
    return isHere(Stream.concat(files.names().stream(), files.patterns().stream()))
        ? of(FileListing.of("lint", files))
        : UNKNOWN;
  }

  /** The files that {@code listFiles} gives. */
  static LocalFiles of(ListFilesOp list) {
    return isHere(Stream.of(list.pattern()))
        ? of(FileListing.matching("lint", list.pattern()))
        : UNKNOWN;
  }

  private static boolean isHere(Stream<String> names) {
    return names.noneMatch(name -> ELSEWHERE.matcher(name).matches());
  }

  private static LocalFiles of(FileListing listing) {
    if (listing.problem() != null || !listing.missing().isEmpty()) {
      return UNKNOWN; // said when the pipeline is opened
    }
    long bytes = 0;
    try {
      for (StoredFile file : listing.files()) {
        bytes += file.facts().size();
      }
    } catch (IOException e) {
      return UNKNOWN;
    }
    return new LocalFiles(listing.files().size(), bytes);
  }
}
