package dev.headrace.cli;

import dev.headrace.data.Compression;
import dev.headrace.data.Plural;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordIndex;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks into TFRecord files. */
@Command(
    name = "records",
    description = "Checks, counts, indexes and shows TFRecord files.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RecordsCommand.Verify.class,
      RecordsCommand.Count.class,
      RecordsCommand.Index.class,
      RecordsCommand.Head.class,
      RecordsCommand.Cat.class
    },
    footer = {
      "",
      "Exit code 1 where a file is damaged; its name, the byte and the record are named.",
      "",
      "Examples:",
      "  headrace records verify 'train-*.tfrecord'",
      "  headrace records head -n 3 --compression gzip train.tfrecord.gz",
      "  headrace records cat names.tfrecord | sort"
    })
final class RecordsCommand implements Runnable {
  private static final int SHOWN_BYTES = 60;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    CommandLine own = Objects.requireNonNull(spec).commandLine();
    throw new ParameterException(own, "expected a command, but got none");
  }

  /** What all of them have: files, and where to print. */
  private abstract static class OnFiles implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;
    @Mixin private RecordFiles files = new RecordFiles();

    final RecordFiles files() {
      return files;
    }

    final PrintWriter out() {
      return Objects.requireNonNull(spec).commandLine().getOut();
    }

    final PrintWriter err() {
      return Objects.requireNonNull(spec).commandLine().getErr();
    }

    /** Does the work on one file; says what is damaged in it, or null. */
    abstract @Nullable String on(Path file) throws IOException;

    @Override
    public final Integer call() throws IOException {
      boolean sound = true;
      for (Path file : files.all()) {
        String damage = on(file);
        if (damage != null) {
          sound = false;
          out().flush();
          err().println("headrace: " + damage);
        }
      }
      out().flush();
      err().flush();
      return sound ? Main.OK : Main.FAILED;
    }

    final void print(boolean json, Path file, Map<String, Object> facts) {
      if (json) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("file", file.toString());
        all.putAll(facts);
        out().println(JsonText.of(all));
      } else {
        StringBuilder line = new StringBuilder(file + ":");
        facts.forEach(
            (name, value) -> {
              if (value instanceof Long number) {
                String one = name.endsWith("s") ? name.substring(0, name.length() - 1) : name;
                line.append(' ').append(Plural.of(number, one));
              } else {
                line.append(' ').append(value);
              }
            });
        out().println(line);
      }
    }
  }

  @Command(
      name = "verify",
      description = "Reads files whole and checks both checksums of every record.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  headrace records verify --json 'train-*.tfrecord'"})
  static final class Verify extends OnFiles {
    @Option(names = "--json", description = "Print a JSON object for each file.")
    private boolean json;

    @Override
    @Nullable String on(Path file) throws IOException {
      long[] sums = new long[2];
      String damage =
          files()
              .read(
                  file,
                  err(),
                  (number, record) -> {
                    sums[0]++;
                    sums[1] += record.byteSize();
                    return true;
                  });
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("records", sums[0]);
      facts.put("bytes", sums[1]);
      facts.put("verdict", damage == null ? "ok" : "DAMAGED");
      if (json && damage != null) {
        facts.put("damage", damage);
      }
      print(json, file, facts);
      return damage;
    }
  }

  @Command(
      name = "count",
      description = "Counts records; reads only headers where files are not packed.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  headrace records count 'train-*.tfrecord'"})
  static final class Count extends OnFiles {
    @Option(names = "--json", description = "Print a JSON object for each file.")
    private boolean json;

    @Override
    @Nullable String on(Path file) throws IOException {
      long records;
      String damage = null;
      if (files().compression() == Compression.NONE && Files.isRegularFile(file)) {
        TfRecordIndex index = TfRecordIndex.scan(file);
        records = index.records();
        if (!files().endsWell(index)) {
          damage = firstDamage(file, index);
        }
      } else {
        long[] count = new long[1];
        damage =
            files()
                .read(
                    file,
                    err(),
                    (number, record) -> {
                      count[0]++;
                      return true;
                    });
        records = count[0];
      }
      print(json, file, Map.of("records", records));
      return damage;
    }
  }

  private static String firstDamage(Path file, TfRecordIndex index) {
    return "%s: record %d at byte %d is damaged, %s from there on not counted"
        .formatted(
            file, index.records(), index.end(), Plural.of(index.size() - index.end(), "byte"));
  }

  @Command(
      name = "index",
      description = "Makes the index of files, or checks that it fits.",
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "The index is kept beside each file as .headrace/FILE.index; a dataset uses it by",
        "tfRecords(files, TfRecords.defaults().indexed()).",
        "",
        "Example:",
        "  headrace records index 'train-*.tfrecord'"
      })
  static final class Index extends OnFiles {
    @Option(
        names = "--folder",
        paramLabel = "FOLDER",
        description = "Keep indexes there instead of beside the files.")
    private @Nullable Path folder;

    @Option(names = "--json", description = "Print a JSON object for each file.")
    private boolean json;

    @Override
    @Nullable String on(Path file) throws IOException {
      if (files().compression() != Compression.NONE) {
        throw new IOException(
            "index: expected files that are not packed, but got --compression "
                + files().compression().name().toLowerCase(Locale.ROOT));
      }
      TfRecordIndex index = TfRecordIndex.of(file, folder, err()::println);
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("records", index.records());
      facts.put("index", TfRecordIndex.path(file, folder).toString());
      print(json, file, facts);
      return files().endsWell(index) ? null : firstDamage(file, index);
    }
  }

  @Command(
      name = "head",
      description = "Shows the first records of each file: number, length and how it begins.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  headrace records head -n 3 train.tfrecord"})
  static final class Head extends OnFiles {
    @Option(
        names = {"-n", "--records"},
        paramLabel = "N",
        defaultValue = "10",
        description = "How many records (default: ${DEFAULT-VALUE}).")
    private long count;

    @Option(names = "--json", description = "Print a JSON object for each record, whole in base64.")
    private boolean json;

    @Override
    @Nullable String on(Path file) throws IOException {
      if (count < 1) {
        return null;
      }
      return files()
          .read(
              file,
              err(),
              (number, record) -> {
                if (json) {
                  Map<String, Object> facts = new LinkedHashMap<>();
                  facts.put("record", number);
                  facts.put("bytes", record.byteSize());
                  facts.put("base64", Base64.getEncoder().encodeToString(record.bytesValue()));
                  print(true, file, facts);
                } else {
                  out()
                      .printf(
                          Locale.ROOT,
                          "%s: record %d, %s: %s%n",
                          file,
                          number,
                          Plural.of(record.byteSize(), "byte"),
                          start(record));
                }
                return number + 1 < count;
              });
    }
  }

  /** How a record begins: as text if it is one, as hexadecimal numbers otherwise. */
  private static String start(Tensor record) {
    MemorySegment bytes = record.segmentAt(0);
    boolean isCut = bytes.byteSize() > SHOWN_BYTES;
    byte[] first =
        bytes.asSlice(0, isCut ? SHOWN_BYTES : bytes.byteSize()).toArray(ValueLayout.JAVA_BYTE);
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(first)).toString();
    } catch (CharacterCodingException e) {
      text = "\0";
    }
    boolean isText = text.chars().noneMatch(Character::isISOControl);
    return (isText ? text : HexFormat.ofDelimiter(" ").formatHex(first)) + (isCut ? " …" : "");
  }

  @Command(
      name = "cat",
      description = "Writes the data of all records to standard output, one on a line.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  headrace records cat --base64 train.tfrecord > train.txt"})
  static final class Cat extends OnFiles {
    @Option(names = "--base64", description = "In base64: for records that are no lines of text.")
    private boolean base64;

    @Override
    @Nullable String on(Path file) throws IOException {
      return files()
          .read(
              file,
              err(),
              (number, record) -> {
                out()
                    .println(
                        base64
                            ? Base64.getEncoder().encodeToString(record.bytesValue())
                            : record.stringValue());
                return true;
              });
    }
  }
}
