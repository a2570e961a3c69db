package dev.headrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Csv;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JsonTest {
  record Point(double x, double y) {}

  record Line(
      long id,
      @Nullable String petalName,
      boolean flag,
      float[] scores,
      Point[] points,
      Tensor grid,
      @Nullable Integer missing) {}

  private static Map<String, Tensor> parse(String text) throws Exception {
    return Json.parser().apply(text);
  }

  private static Tensor tensor(String text) throws Exception {
    return Objects.requireNonNull(parse("{\"a\": " + text + "}").get("a"));
  }

  @Test
  void makesRecords() throws Exception {
    Line line =
        Json.parser(Line.class)
            .apply(
                "{\"id\": 9223372036854775807, \"petal_name\": \"\\u00e4\\n\\\"\", \"flag\": true,"
                    + " \"scores\": [1, 2.5e0], \"points\": [{\"x\": 1, \"y\": -0.5}],"
                    + " \"grid\": [[1, 2], [3, 4]], \"unknown\": [null, {}]}");
    assertThat(line.id).isEqualTo(Long.MAX_VALUE);
    assertThat(line.petalName).isEqualTo("ä\n\"");
    assertThat(line.flag).isTrue();
    assertThat(line.scores).containsExactly(1f, 2.5f);
    assertThat(line.points).containsExactly(new Point(1, -0.5));
    assertThat(line.grid.shape()).isEqualTo(Shape.of(2, 2));
    assertThat(line.grid.toLongArray()).containsExactly(1, 2, 3, 4);
    assertThat(line.missing).isNull();
  }

  @Test
  void makesTensors() throws Exception {
    assertThat(tensor("3").dtype()).isEqualTo(DType.INT64);
    assertThat(tensor("3.0").doubleValue()).isEqualTo(3);
    assertThat(tensor("[1, 2.5]").toDoubleArray()).containsExactly(1, 2.5);
    assertThat(tensor("[\"x\", \"y\"]").toStrings()).containsExactly("x", "y");
    assertThat(tensor("[true, false]").toBooleanArray()).containsExactly(true, false);
    assertThat(tensor("[[[1], [2]]]").shape()).isEqualTo(Shape.of(1, 2, 1));
    assertThat(tensor("[]").shape()).isEqualTo(Shape.of(0));
    Map<String, Tensor> declared =
        Json.parser(Csv.float32("a"), Csv.int64("b").or(7), Csv.string("c").or("none"))
            .apply("{\"a\": 1, \"b\": null, \"d\": {}}");
    assertThat(Objects.requireNonNull(declared.get("a")).floatValue()).isEqualTo(1f);
    assertThat(Objects.requireNonNull(declared.get("b")).longValue()).isEqualTo(7);
    assertThat(Objects.requireNonNull(declared.get("c")).stringValue()).isEqualTo("none");
  }

  @Test
  void refusesWhatIsNoJson() {
    for (String bad :
        List.of(
            "",
            "[]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1} x",
            "{a:1}",
            "{\"a\":01}",
            "{\"a\":+1}",
            "{\"a\":1.}",
            "{\"a\":.5}",
            "{\"a\":1e}",
            "{\"a\":NaN}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12\"}",
            "{\"a\":\"\t\"}",
            "{\"a\":\"",
            "{\"a\":tru}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":-}",
            "{\"a\":[1 2]}",
            "{\"a\":1")) {
      assertThatThrownBy(() -> parse(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("json: expected ");
    }
    assertThatThrownBy(() -> parse("{\"a\": 1,\n \"b\": x}"))
        .hasMessage("json: expected a value, but got 'x' at line 2, column 7");
    assertThatThrownBy(() -> parse("{\"a\":" + "[".repeat(100_000)))
        .hasMessageStartingWith("json: expected at most 100 levels");
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertThatThrownBy(() -> Json.parser(Point.class).apply("{\"x\": 1}"))
        .hasMessage("json: expected a value in 'y', but got none");
    assertThatThrownBy(() -> tensor("9223372036854775808"))
        .hasMessage("json: expected long in 'a', but got 9223372036854775808");
    assertThatThrownBy(() -> tensor("[[1], [2, 3]]"))
        .hasMessage("json: expected rows of one length, 1 in 'a', but got one of 2");
    assertThatThrownBy(() -> tensor("[1, \"x\"]")).hasMessageStartingWith("json: expected");
    assertThatThrownBy(() -> tensor("{}")).hasMessageContaining("but got an object");
    assertThatThrownBy(() -> tensor("null")).hasMessageContaining("but got null");
    assertThatThrownBy(() -> Json.parser(Unfit.class))
        .hasMessageContaining("expected component thread of Unfit to be a number");
  }

  record Unfit(Thread thread) {}

  @Test
  void survivesBrokenTexts() {
    String text = "{\"a\": [1, 2.5e3], \"b\": \"x\\u0041\", \"c\": {\"d\": true}, \"e\": null}";
    Random random = new Random(5);
    for (int run = 0; run < 20_000; run++) {
      char[] chars = text.toCharArray();
      for (int i = random.nextInt(3); i >= 0; i--) {
        chars[random.nextInt(chars.length)] = text.charAt(random.nextInt(text.length()));
      }
      String broken = new String(Arrays.copyOf(chars, random.nextInt(chars.length + 1)));
      try {
        assertThat(JsonReader.readObject(broken)).isNotNull();
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("json: ");
      }
    }
  }

  @Test
  void readsLinesOfFiles(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("a.jsonl");
    Files.writeString(file, "{\"x\": 1, \"y\": 2}\n\n{\"x\": 1\n{\"x\": 3, \"y\": 4}\n");
    Dataset<Point> points = Dataset.jsonLines(file.toString(), Point.class);
    PipelineContract.of(n -> Dataset.jsonLines(file.toString(), Point.class)).check();
    assertThat(Outcomes.of(points))
        .containsExactly(
            "Point[x=1.0, y=2.0]", Outcomes.ERROR, "Point[x=3.0, y=4.0]", Outcomes.END);
    List<Long> xs = new ArrayList<>();
    Dataset.jsonLines(file.toString())
        .ignoreErrors()
        .forEach(map -> xs.add(Objects.requireNonNull(map.get("x")).longValue()));
    assertThat(xs).containsExactly(1L, 3L);
  }

  @Test
  void errorsNameFileAndLineAlsoAfterResumption(@TempDir Path folder) throws IOException {
    Path first = folder.resolve("a.jsonl");
    Path second = folder.resolve("b.jsonl");
    Files.writeString(first, "{\"x\": 1, \"y\": 2}\r\n\n{\"x\": 1\n{\"x\": 3, \"y\": 4}");
    Files.writeString(second, "\n{\"x\": \"no\", \"y\": 4}\n");
    List<String> expected =
        List.of(
            first + ", line 3: json: expected ',' or '}', but got the end at column 8",
            second + ", line 2: json: expected double in 'x', but got \"no\"");
    Dataset<Point> points = Dataset.jsonLines(folder + "/*.jsonl", Point.class);
    assertThat(Outcomes.errors(points))
        .extracting(e -> e.getCause().getMessage())
        .isEqualTo(expected);
    for (int position = 0; position < 4; position++) {
      try (Pipeline<Point> pipeline = points.prefetch(2).open()) {
        Iterator<Point> iterator = pipeline.iterator();
        List<String> said = new ArrayList<>();
        for (int i = 0; i < position; i++) {
          next(iterator, said);
        }
        try (Pipeline<Point> resumed = points.prefetch(2).open(pipeline.checkpoint())) {
          Iterator<Point> rest = resumed.iterator();
          while (rest.hasNext()) {
            next(rest, said);
          }
        }
        assertThat(said).isEqualTo(expected);
      }
    }
  }

  private static void next(Iterator<?> elements, List<String> said) {
    try {
      elements.next();
    } catch (PipelineException e) {
      said.add(e.getCause().getMessage());
    }
  }

  record Alike(long ab, long aB) {}

  record Petal(long petalLength) {}

  @Test
  void anExactNameIsPreferred() throws Exception {
    assertThatThrownBy(() -> Json.parser(Alike.class))
        .hasMessageContaining("differ in more than case and underscores, but got 'ab' and 'aB'");
    assertThat(Json.parser(Petal.class).apply("{\"petal_length\": 1, \"petalLength\": 2}"))
        .isEqualTo(new Petal(2));
    assertThatThrownBy(
            () -> Json.parser(Petal.class).apply("{\"petal_length\": 1, \"PetalLength\": 2}"))
        .hasMessage(
            "json: expected one member for 'petalLength', but got 'petal_length' and"
                + " 'PetalLength'");
  }

  @Test
  void whatDoesNotFitIsNotReplaced() throws Exception {
    assertThatThrownBy(() -> tensor("1e999"))
        .hasMessage("json: expected a number that fits into double in 'a', but got 1e999");
    assertThatThrownBy(() -> Json.parser(Csv.float32("a")).apply("{\"a\": [1, -1e40]}"))
        .hasMessageContaining("a number that fits into float");
    assertThat(tensor("1e-999").doubleValue()).isZero();
    for (String lone : List.of("\\ud83d", "\\udc31", "\\ud83dx", "\\udc31\\ud83d", "x\\ud83d")) {
      assertThatThrownBy(() -> tensor("\"" + lone + "\""))
          .hasMessageContaining("a text without a lone surrogate");
    }
    assertThat(tensor("\"\\ud83d\\udc31\"").stringValue()).isEqualTo("\uD83D\uDC31");
  }
}
