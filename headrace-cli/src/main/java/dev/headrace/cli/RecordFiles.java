package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import dev.headrace.data.TfRecordIndex;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.StoredFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The TFRecord files that a command was given, and how to read them. */
final class RecordFiles {
  private static final long TOLD_EVERY = 50_000;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "TFRecord files, or patterns such as 'train-*'.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--compression",
      paramLabel = "KIND",
      defaultValue = "none",
      description = "How the files are packed: none, gzip or zlib (default: ${DEFAULT-VALUE}).")
  private Compression compression = Compression.NONE;

  @Option(
      names = "--lenient",
      description = "A file that is cut inside a record's header ends there, as in tf.data.")
  private boolean lenient;

  /** Whether what follows the last record that an index found is no damage. */
  boolean endsWell(TfRecordIndex index) {
    long left = index.size() - index.end();
    return left == 0 || lenient && left < TfRecordFormat.HEADER_BYTES;
  }

  Compression compression() {
    return compression;
  }

  List<Path> all() throws IOException {
    FileListing listing =
        FileListing.of(
            "records",
            InputFiles.matching(
                names.getFirst(), names.subList(1, names.size()).toArray(String[]::new)));
    if (listing.problem() != null) {
      throw new IOException(listing.problem().getMessage(), listing.problem());
    }
    List<Path> files = new ArrayList<>();
    for (StoredFile file : listing.files()) {
      files.add(file.local("this command"));
    }
    return files;
  }

  /** Told each record of a file; says whether to go on. */
  interface Visitor {
    boolean visit(long number, Tensor record) throws IOException;
  }

  /**
   * Reads a file up to its end or to what is damaged.
   *
   * @return what is damaged, or null
   */
  @Nullable String read(Path file, PrintWriter err, Visitor visitor) throws IOException {
    TfRecords settings = lenient ? TfRecords.defaults().lenient() : TfRecords.defaults();
    Dataset<Tensor> records =
        Dataset.tfRecords(InputFiles.of(file).compressed(compression), settings);
    long number = 0;
    try (Pipeline<Tensor> pipeline = records.open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      while (epoch.hasNext()) {
        Tensor record = epoch.next();
        if (!visitor.visit(number, record)) {
          return null;
        }
        if (++number % TOLD_EVERY == 0 && Terminal.isThere()) {
          Main.progress(err, String.format(Locale.ROOT, "%s: %,d records", file, number));
        }
      }
      return null;
    } catch (PipelineException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      return cause instanceof java.nio.file.NoSuchFileException
          ? file + ": there is no such file"
          : String.valueOf(cause.getMessage());
    } finally {
      Main.endProgress(err);
    }
  }
}
