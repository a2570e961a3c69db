package dev.headrace.spi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineInterruptedException;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interruption, which closes the file that is being read, costs no element. */
@Timeout(120)
class InterruptionTest {
  private static final Csv CSV = Csv.columns(Csv.int64("number"), Csv.string("name"));

  @TempDir private Path folder;
  private int interruptions;

  @AfterEach
  void clear() {
    System.clearProperty("headrace.mmap");
    boolean _ = Thread.interrupted();
  }

  private <T> List<String> outcomes(Dataset<T> source) {
    List<String> seen = new ArrayList<>();
    try (Pipeline<T> pipeline = source.open()) {
      Iterator<T> epoch = null;
      for (boolean more = true; more; ) {
        try {
          epoch = epoch == null ? pipeline.iterator() : epoch;
          more = epoch.hasNext();
          if (more) {
            seen.add(text(epoch.next()));
          }
        } catch (PipelineInterruptedException e) {
          boolean _ = Thread.interrupted();
          interruptions++;
        } catch (dev.headrace.PipelineException e) {
          seen.add("failed");
          more = !e.isTerminal();
        }
      }
    } finally {
      boolean _ = Thread.interrupted();
    }
    return seen;
  }

  private static String text(Object element) {
    return switch (element) {
      case byte[] bytes -> Arrays.toString(bytes);
      case Tensor tensor -> Arrays.toString(tensor.bytesValue());
      default -> element.toString();
    };
  }

  /** The same files, quiet and restless. */
  private InputFiles files(String kind, Compression compression, boolean restless)
      throws IOException {
    String name = "mem:" + kind + compression + (restless ? MemoryStore.RESTLESS : "");
    String[] names = new String[3];
    for (int i = 0; i < 3; i++) {
      Path file = folder.resolve(name.replace(':', '-') + i);
      int from = 100 * i;
      if (kind.equals("records")) {
        long _ =
            Dataset.range(from, from + 30)
                .map(n -> Tensor.scalar("record " + n + " ".repeat(30)))
                .writeTfRecords(file, 1, compression);
      } else {
        StringBuilder lines = new StringBuilder("number,name\n");
        for (int n = 0; n < 60; n++) {
          int number = 10_000 + from + n;
          lines
              .append(number)
              .append(n % 7 == 3 ? ",a\"b" + "-".repeat(300) : ",name")
              .append('\n');
        }
        while (lines.length() % 12 != 0) {
          lines.append('\n');
        }
        try (var out = compression.pack(Files.newOutputStream(file))) {
          out.write(lines.toString().getBytes(UTF_8));
        }
      }
      names[i] = name + "/" + i;
      MemoryStore.put(names[i], Files.readAllBytes(file));
    }
    return InputFiles.named(names[0], names[1], names[2]).compressed(compression);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void costsNothingInAnySource(Compression compression) throws IOException {
    for (int round = 0; round < 5; round++) {
      assertThat(outcomes(Dataset.tfRecords(files("records", compression, true))))
          .isEqualTo(outcomes(Dataset.tfRecords(files("records", compression, false))))
          .hasSize(90);
      InputFiles lines = files("lines", compression, false);
      InputFiles restless = files("lines", compression, true);
      assertThat(outcomes(Dataset.textLines(restless)))
          .isEqualTo(outcomes(Dataset.textLines(lines)));
      assertThat(outcomes(Dataset.csv(restless, Csv.inferred())))
          .isEqualTo(outcomes(Dataset.csv(lines, Csv.inferred())));
      assertThat(outcomes(Dataset.csv(restless, CSV))).isEqualTo(outcomes(Dataset.csv(lines, CSV)));
      assertThat(outcomes(Dataset.fixedLengthRecords(restless, 12, 0, 0)))
          .isEqualTo(outcomes(Dataset.fixedLengthRecords(lines, 12, 0, 0)));
      assertThat(outcomes(Dataset.tfRecords(files("records", compression, true)).skip(50)))
          .isEqualTo(outcomes(Dataset.tfRecords(files("records", compression, false)).skip(50)))
          .hasSize(40);
    }
    if (compression == Compression.NONE) {
      Dataset<byte[]> records =
          Dataset.fixedLengthRecords(files("lines", compression, false), 12, 0, 0);
      Dataset<byte[]> restless =
          Dataset.fixedLengthRecords(files("lines", compression, true), 12, 0, 0);
      assertThat(outcomes(restless.globalShuffle(Seed.of(1))))
          .isEqualTo(outcomes(records.globalShuffle(Seed.of(1))));
    }
    assertThat(interruptions).isPositive();
  }

  @Test
  void costsNothingInFilesWithAnIndex() throws Exception {
    System.setProperty("headrace.mmap", "false");
    Path[] files = new Path[3];
    for (int i = 0; i < 3; i++) {
      files[i] = folder.resolve("f" + i);
      long _ = Dataset.range(100).map(n -> new byte[20_000]).writeTfRecords(files[i]);
    }
    Dataset<Tensor> records =
        Dataset.tfRecords(InputFiles.of(List.of(files)), TfRecords.defaults().indexed());
    Thread reader = Thread.currentThread();
    AtomicBoolean stop = new AtomicBoolean();
    Thread interrupter =
        Thread.ofPlatform()
            .start(
                () -> {
                  Random random = new Random(5);
                  while (!stop.get()) {
                    IntStream.range(0, random.nextInt(20_000)).forEach(_ -> Thread.onSpinWait());
                    reader.interrupt();
                  }
                });
    try {
      for (int round = 0; round < 5; round++) {
        assertThat(outcomes(records)).hasSize(300).doesNotContain("failed");
      }
    } finally {
      stop.set(true);
      while (interrupter.isAlive()) {
        Thread.onSpinWait(); // a join would be interrupted
      }
    }
  }
}
