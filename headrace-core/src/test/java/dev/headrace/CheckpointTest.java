package dev.headrace;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.headrace.data.Seed;
import dev.headrace.golden.LogRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class CheckpointTest {
  @TempDir Path folder;

  private static Dataset<?> dataset() {
    return range(30)
        .map(x -> Outcomes.refusing(4, x), 2)
        .shuffle(5, Seed.of(1))
        .batch(3, Collator.stack())
        .prefetch(2);
  }

  private static <T> Checkpoint after(Dataset<T> dataset, int elements) {
    try (Pipeline<T> pipeline = dataset.open()) {
      Iterator<T> epoch = pipeline.iterator();
      for (int i = 0; i < elements; i++) {
        assertThat(epoch.hasNext()).isTrue();
        try {
          epoch.next();
        } catch (PipelineException e) {
          assertThat(e.isTerminal()).isFalse();
        }
      }
      return pipeline.checkpoint();
    }
  }

  private static List<String> rest(Dataset<?> dataset, Checkpoint checkpoint) {
    try (Pipeline<?> pipeline = dataset.open(checkpoint)) {
      return Outcomes.of(pipeline.iterator());
    }
  }

  @Test
  void survivesBeingWrittenAndRead() throws IOException {
    Checkpoint checkpoint = after(dataset(), 4);
    List<String> all = Outcomes.of(dataset());
    List<String> expected = all.subList(4, all.size());
    assertThat(rest(dataset(), checkpoint)).isEqualTo(expected);
    assertThat(Checkpoint.parse(checkpoint.toString())).hasToString(checkpoint.toString());
    Path file = folder.resolve("position");
    checkpoint.save(file);
    checkpoint.save(file); // over the old one
    assertThat(rest(dataset(), Checkpoint.load(file))).isEqualTo(expected);
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void isSmallAndReadable() {
    Checkpoint checkpoint = after(range(1_000_000).shuffle(1000, Seed.of(1)), 5000);
    assertThat(checkpoint.toString())
        .hasSizeLessThan(1500)
        .startsWith("{\"headrace\": \"checkpoint\", \"version\": 1,\n \"epoch\": 0,")
        .contains("shuffle(buffer=1000")
        .containsPattern("\nsum [0-9a-f]{8}\n$");
    assertThat(checkpoint.epoch()).isZero();
  }

  @Test
  void betweenEpochsItIsTheStartOfTheNext() {
    Dataset<Long> dataset = range(5).shuffle(5, Seed.of(3));
    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 3);
    try (Pipeline<Long> pipeline = dataset.open()) {
      assertThat(pipeline.checkpoint().epoch()).isZero();
      Outcomes.of(pipeline.iterator());
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      assertThat(checkpoint.epoch()).isEqualTo(1);
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(epochs.get(1));
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(resumed.checkpoint()).hasToString(checkpoint.toString());
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(1));
        assertThat(resumed.epoch()).isEqualTo(1);
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(2));
      }
    }
  }

  @Test
  void refusesAnotherPlanAndShowsTheDifference() {
    Checkpoint checkpoint = after(range(10).map(x -> x).batch(2, Collator.toList()), 2);
    assertThatThrownBy(
            () ->
                range(10)
                    .map(x -> x)
                    .filter(x -> true)
                    .batch(3, Collator.toList())
                    .open(checkpoint))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "checkpoint: expected the plan it was taken from, but got another one:\n")
        .hasMessageContaining("  - batch(size=2,")
        .hasMessageContaining("  + batch(size=3,")
        .hasMessageContaining("filter(condition")
        .hasMessageContaining("(checkpoint)")
        .hasMessageContaining("(this plan)");
  }

  @Test
  void warnsOfFunctionsThatChanged() {
    Checkpoint checkpoint = after(range(10).map(x -> x + 1), 3);
    try (LogRecords log = LogRecords.of("headrace.checkpoint")) {
      assertThat(rest(range(10).map(x -> x + 100), checkpoint)).startsWith("int64[] [103]");
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("functions changed since it was taken; elements from here on may differ")
          .contains("CheckpointTest.lambda$");
    }
    try (LogRecords log = LogRecords.of("headrace.checkpoint")) {
      Dataset<Long> same = range(10).map(x -> x + 7);
      rest(same, after(same, 3));
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void refusesEveryTruncation() {
    String text = after(dataset(), 3).toString();
    for (int length = 0; length < text.length(); length++) {
      String cut = text.substring(0, length);
      assertThatThrownBy(() -> Checkpoint.parse(cut))
          .as("the first %d characters", length)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("checkpoint: expected");
    }
    assertThatThrownBy(() -> Checkpoint.parse(text.substring(0, text.length() - 3)))
        .hasMessage(
            "checkpoint: expected a sum in the last line, but it is missing; the file was cut off"
                + " after "
                + (text.length() - 3)
                + " characters");
    assertThatThrownBy(() -> Checkpoint.parse(""))
        .hasMessage("checkpoint: expected a text that starts with {\"headrace\", but got nothing");
  }

  @Test
  void refusesEveryFlippedBit() {
    String text = after(dataset(), 3).toString();
    for (int i = 0; i < text.length(); i++) {
      for (int bit = 0; bit < 7; bit++) {
        StringBuilder damaged = new StringBuilder(text);
        damaged.setCharAt(i, (char) (text.charAt(i) ^ (1 << bit)));
        try {
          Checkpoint.parse(damaged.toString());
        } catch (IllegalArgumentException e) {
          assertThat(e).hasMessageStartingWith("checkpoint: expected");
          continue;
        }
        fail("bit %d of character %d was flipped, and nobody noticed", bit, i);
      }
    }
    int digit = text.indexOf("\"epoch\": ") + 9;
    String epoch = text.substring(0, digit) + "7" + text.substring(digit + 1);
    assertThatThrownBy(() -> Checkpoint.parse(epoch))
        .hasMessageMatching(
            "checkpoint: expected the sum [0-9a-f]{8}, but got [0-9a-f]{8}; the file is damaged");
  }

  /** The text with the right sum for another body. */
  private static String signed(String body) {
    CRC32C sum = new CRC32C();
    sum.update(body.getBytes(StandardCharsets.UTF_8));
    return body + String.format(Locale.ROOT, "\nsum %08x\n", sum.getValue());
  }

  private static String body(Checkpoint checkpoint) {
    String text = checkpoint.toString();
    return text.substring(0, text.lastIndexOf("\nsum "));
  }

  @Test
  void refusesAnotherVersion() {
    String body = body(after(range(5), 2)).replace("\"version\": 1", "\"version\": 99");
    assertThatThrownBy(() -> Checkpoint.parse(signed(body)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "checkpoint: expected version 1, but got 99; it was written by another version of"
                + " Headrace");
  }

  @Test
  void refusesHostileText() {
    String body = body(after(range(5), 2));
    String deep = "{\"headrace\": \"checkpoint\", \"state\": " + "[".repeat(1_000_000);
    for (String hostile :
        List.of(
            "{\"headrace\": 1}",
            "{\"headrace\"",
            deep,
            body.replace("\"epoch\": 0", "\"epoch\": -1"),
            body.replace("\"epoch\": 0", "\"epoch\": 1e9"),
            body.replace("\"epoch\": 0", "\"epoch\": 99999999999999999999"),
            body.replace("\"plan\": [", "\"plan\": [1, "),
            body.replace("\"state\": {", "\"state\": [{"),
            body.replace("\"epoch\": 0", "\"epoch\": 0, \"epoch\": 0"),
            body.replace("\"epoch\"", "\"\\uXYZW\""),
            body + "garbage")) {
      assertThatThrownBy(() -> Checkpoint.parse(signed(hostile)))
          .as(hostile.substring(0, Math.min(200, hostile.length())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("checkpoint: expected");
    }
  }

  @Test
  void refusesPositionsThatCannotBe() {
    String body = body(after(range(5), 2));
    assertThat(body).containsPattern("\"position\": \\d");
    for (String position : List.of("-1", "6", "9223372036854775807", "true", "\"2\"", "[2]")) {
      String changed =
          body.replaceFirst("\"state\": .*", "\"state\": {\"position\": " + position + "}}");
      Checkpoint checkpoint = Checkpoint.parse(signed(changed));
      try (Pipeline<Long> pipeline = range(5).open(checkpoint)) {
        assertThatThrownBy(pipeline::iterator)
            .as("position " + position)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("checkpoint: expected a");
      }
    }
    String other = body.replaceFirst("\"state\": .*", "\"state\": {\"place\": 2}}");
    try (Pipeline<Long> pipeline = range(5).open(Checkpoint.parse(signed(other)))) {
      assertThatThrownBy(pipeline::iterator)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "checkpoint: expected a number named 'position', but got none among [place]; the"
                  + " checkpoint does not belong to this plan or is damaged");
    }
  }

  @Test
  void aFileThatIsNoCheckpointIsNamed() throws IOException {
    Path text = Files.writeString(folder.resolve("notes.txt"), "hello");
    assertThatThrownBy(() -> Checkpoint.load(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            text
                + ": checkpoint: expected a text that starts with {\"headrace\", but got 'hello…'");
    Path binary = Files.write(folder.resolve("image.jpg"), new byte[] {(byte) 0xff, (byte) 0xd8});
    assertThatThrownBy(() -> Checkpoint.load(binary))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(binary + ": expected a checkpoint, but the file is not text");
    assertThatThrownBy(() -> Checkpoint.load(folder.resolve("none")))
        .isInstanceOf(IOException.class);
  }

  /** A source whose position cannot be told. */
  private record UnrepeatableOp(Site site) implements Op {
    @Override
    public Cursor open(Context context) {
      return context.open(new dev.headrace.op.RangeOp(0, 3, 1, site));
    }

    @Override
    public long cardinality() {
      return 3;
    }

    @Override
    public Traits traits() {
      return Traits.PLAIN.with(Checkpointing.NONE);
    }
  }

  @Test
  void aPlanWithoutPositionsIsRefusedAndItsOperatorNamed() {
    Dataset<Long> dataset = Dataset.of(new UnrepeatableOp(new Site("Main.java", 17, null)));
    assertThat(dataset.count()).isEqualTo(3);
    try (Pipeline<Long> pipeline = dataset.map(x -> x).open()) {
      assertThatThrownBy(pipeline::checkpoint)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "checkpoint: expected operators whose position can be told, but unrepeatable"
                  + " (Main.java:17) has none; declare its source repeatable");
    }
    assertThatThrownBy(
            () -> dataset.map(x -> x).options(Options.defaults().requireCheckpoint()).open())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("unrepeatable (Main.java:17)");
  }

  @Test
  void aClosedPipelineHasNone() {
    Pipeline<Long> pipeline = range(3).open();
    pipeline.close();
    assertThatThrownBy(pipeline::checkpoint)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipeline: expected it to be open, but it was closed");
  }
}
