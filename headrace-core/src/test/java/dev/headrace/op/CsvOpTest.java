package dev.headrace.op;

import static dev.headrace.Dataset.csv;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.InputFiles;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class CsvOpTest {
  private static final Csv COLUMNS =
      Csv.columns(Csv.int32("a"), Csv.float32("b").or(1.5), Csv.string("c").or("x"));

  @TempDir Path folder;

  private String write(String content) throws IOException {
    return Files.writeString(folder.resolve("t.csv"), content).toString();
  }

  private static List<String> outcomes(String file, Csv format) {
    return Outcomes.of(
        csv(file, format).map(row -> row.values().stream().map(CsvOpTest::text).toList()));
  }

  private static String text(Tensor tensor) {
    return switch (tensor.dtype()) {
      case STRING -> tensor.stringValue();
      case BOOL -> Boolean.toString(tensor.booleanValue());
      case FLOAT32, FLOAT64 -> Double.toString(tensor.doubleValue());
      default -> Long.toString(tensor.longValue());
    };
  }

  /** Names a row's failure, without the file. */
  private List<String> problems(String file, Csv format) {
    return Outcomes.errors(csv(file, format)).stream()
        .map(e -> String.valueOf(e.getCause().getMessage()).replace(file + ", ", ""))
        .toList();
  }

  private record Named(int a, String b) {}

  @Test
  void typedRowsAreBatchedByColumn() throws IOException {
    Path file = Files.writeString(folder.resolve("rows.csv"), "a,b\n1,x\n2,y\n3,z\n");
    Dataset<Named> rows = Dataset.csv(file.toString(), Named.class);
    List<?> batches = rows.batch(2).toList();
    assertThat(batches).hasSize(2);
    assertThat(batches.getFirst())
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Tensor.class))
        .satisfies(
            columns -> {
              assertThat(columns).containsOnlyKeys("a", "b");
              assertThat(columns.get("a").toIntArray()).containsExactly(1, 2);
              assertThat(columns.get("b").toStrings()).containsExactly("x", "y");
            });
    assertThat(rows.batch(2, Collator.columns()).toList().getLast().get("a").toIntArray())
        .containsExactly(3);
  }

  @Test
  void aFileThatIsNoTextIsRefusedByName() throws IOException {
    Path packed = folder.resolve("rows.csv");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write("a,b\n1,x\n".getBytes(StandardCharsets.UTF_8));
    }
    String expected =
        packed
            + ": expected text, but the file is packed by gzip; say"
            + " InputFiles.matching(…).compressed(Compression.GZIP)";
    for (Dataset<?> source :
        List.of(
            Dataset.csv(packed.toString()),
            Dataset.csv(packed.toString(), Named.class),
            Dataset.textLines(packed.toString()),
            Dataset.jsonLines(packed.toString()))) {
      assertThat(Outcomes.errors(source).getFirst()).hasMessageContaining(expected);
    }
    assertThat(
            Dataset.csv(
                    InputFiles.of(packed).compressed(Compression.GZIP), Csv.inferred(), Named.class)
                .toList())
        .containsExactly(new Named(1, "x"));
  }

  @Test
  void textThatIsNotUtf8IsRefusedByName() throws IOException {
    Path file = folder.resolve("rows.csv");
    Files.write(file, "a,b\n1,Müller\n2,ok\n".getBytes(StandardCharsets.ISO_8859_1));
    String expected =
        "rows.csv, line 2, column 'b': expected text in UTF-8, but got \"Müller\" (with the byte"
            + " 0xfc); is the file in Latin-1? convert it, as by iconv -f latin1 -t utf-8";
    for (Dataset<?> source :
        List.of(Dataset.csv(file.toString()), Dataset.csv(file.toString(), Named.class))) {
      assertThat(Outcomes.errors(source)).singleElement().asString().contains(expected);
      assertThat(source.ignoreErrors().count()).isEqualTo(1);
    }
    Files.write(file, "a,größe\n1,x\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(Outcomes.errors(Dataset.csv(file.toString())).getFirst())
        .hasMessageContaining("rows.csv")
        .hasMessageContaining("line 1: expected text in UTF-8, but got \"größe\"");
    Files.writeString(file, "a,b\n1,Müller\n");
    assertThat(Dataset.csv(file.toString(), Named.class).toList())
        .containsExactly(new Named(1, "Müller"));
  }

  @Test
  void anotherDelimiterIsHintedAt() throws IOException {
    Path file = Files.writeString(folder.resolve("rows.csv"), "a;b\n1;x\n");
    assertThat(Outcomes.errors(Dataset.csv(file.toString(), Named.class)).getFirst())
        .hasMessageContaining(
            "expected a column 'a', but the header has a;b; if ';' separates its columns, say"
                + " Csv.….delimiter(';')");
    Csv declared = Csv.columns(Csv.int32("a"), Csv.string("b")).withoutHeader();
    assertThat(Outcomes.errors(Dataset.csv(file.toString(), declared)).getFirst())
        .hasMessageContaining("line 1: expected 2 fields, but got 1; if ';' separates its columns");
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      assertThat(Dataset.csv(file.toString()).count()).isEqualTo(1);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("csv: " + file + " has one column, 'a;b'; if ';' separates its columns, say");
    }
    assertThat(
            Dataset.csv(InputFiles.of(file), Csv.inferred().delimiter(';'), Named.class).toList())
        .containsExactly(new Named(1, "x"));
  }

  @Test
  void keepsTheContract() throws IOException {
    Files.writeString(
        folder.resolve("1.csv"), "a,b,c\n1,2,\"x\ny\"\nbad,2,3\n2,,\"q\"\"q\"\n\n3,4\n4,5,6");
    Files.writeString(folder.resolve("2.csv"), "");
    Files.writeString(folder.resolve("3.csv"), "c,a,b\r\nz,7,8\r\n\"open,1,2\r\nw,9,10\r\n");
    PipelineContract.of(n -> csv(folder + "/*.csv", COLUMNS).map(row -> row, n)).check();
    PipelineContract.of(n -> csv(folder + "/1.csv").prefetch(n)).check();
    PipelineContract.of(n -> csv(folder + "/*.csv", Row.class).map(row -> row, n)).check();
  }

  private record Row(int a, @Nullable Double b, String c) {}

  @Test
  void packedFilesKeepTheContract() throws IOException {
    Path file = folder.resolve("t.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("a,b,c\n1,2,3\nx,y,z\n4,5,6\n".getBytes(StandardCharsets.UTF_8));
    }
    InputFiles packed = InputFiles.of(file).compressed(Compression.GZIP);
    PipelineContract.of(n -> csv(packed, COLUMNS).map(row -> row, n)).check();
  }

  @Test
  void columnsAreFoundByTheirNames() throws IOException {
    String file = write("c,skipped,a,b\nz,1,2,3\n");
    Map<String, Tensor> row = csv(file, COLUMNS).first().orElseThrow();
    assertThat(row.keySet()).containsExactly("a", "b", "c");
    assertThat(row.get("a").dtype()).isEqualTo(DType.INT32);
    assertThat(row.get("b").floatValue()).isEqualTo(3f);
    assertThat(row.get("c").stringValue()).isEqualTo("z");
    assertThat(csv(file, COLUMNS).cardinality()).isEqualTo(Dataset.UNKNOWN);
  }

  @Test
  void rowsCanBeBatched() throws IOException {
    String file = write("a,b,c\n1,2,x\n3,4,y\n");
    Map<String, Tensor> batch = csv(file, COLUMNS).batch(2).first().orElseThrow();
    assertThat(batch.get("a").toIntArray()).containsExactly(1, 3);
    assertThat(batch.get("c").toStrings()).containsExactly("x", "y");
  }

  @Test
  void quotesAreReadAsRfc4180Says() throws IOException {
    String file = write("\"a\",b,c\n\"1\",\"2\",\"a,\"\"b\"\"\r\nc\"\n2,3,\" x \"\n3,4,\"\"\"\"\n");
    assertThat(outcomes(file, COLUMNS))
        .containsExactly("[1, 2.0, a,\"b\"\r\nc]", "[2, 3.0,  x ]", "[3, 4.0, \"]", "end");
    file = write("a,b,c\n1,2,say \"hi\"\n");
    assertThat(outcomes(file, COLUMNS.withoutQuotes()))
        .containsExactly("[1, 2.0, say \"hi\"]", "end");
  }

  @Test
  void linesEndInAnyWay() throws IOException {
    String file = write("a,b,c\r1,2,x\r2,3,y\r\n3,4,z");
    assertThat(outcomes(file, COLUMNS))
        .containsExactly("[1, 2.0, x]", "[2, 3.0, y]", "[3, 4.0, z]", "end");
  }

  @Test
  void blankLinesArePassedOver() throws IOException {
    String file = write("a,b,c\n\n1,2,x\n\r\n\n2,3,y\n\n");
    assertThat(outcomes(file, COLUMNS)).containsExactly("[1, 2.0, x]", "[2, 3.0, y]", "end");
    assertThat(outcomes(write("a\nx\n\n\"\"\ny\n"), Csv.columns(Csv.string("a").or("-"))))
        .containsExactly("[x]", "[-]", "[y]", "end");
  }

  @Test
  void aByteOrderMarkIsNotPartOfAName() throws IOException {
    assertThat(outcomes(write("\uFEFFa,b,c\n1,2,x\n"), COLUMNS))
        .containsExactly("[1, 2.0, x]", "end");
    assertThat(outcomes(write("\uFEFF1,2,x\n"), COLUMNS.withoutHeader()))
        .containsExactly("[1, 2.0, x]", "end");
  }

  @Test
  void whatIsMissingHasADefault() throws IOException {
    String file = write("a,b,c\n1,,\n2,NA,\"NA\"\n3,\"\",\"\"\n4, ,?\n");
    assertThat(outcomes(file, COLUMNS.missing("NA", "?")))
        .containsExactly("[1, 1.5, x]", "[2, 1.5, x]", "[3, 1.5, x]", "[4, 1.5, x]", "end");
  }

  @Test
  void withoutHeaderColumnsAreInOrderOrAtAPlace() throws IOException {
    String file = write("1;2;x\n3;4;y\n");
    Csv semicolons = COLUMNS.withoutHeader().delimiter(';');
    assertThat(outcomes(file, semicolons)).containsExactly("[1, 2.0, x]", "[3, 4.0, y]", "end");
    Csv some =
        Csv.inferred()
            .withoutHeader()
            .delimiter(';')
            .with(List.of(Csv.string("last").at(2), Csv.int64("first").at(0)));
    assertThat(outcomes(file, some)).containsExactly("[x, 1]", "[y, 3]", "end");
    assertThat(problems(write("1;2;x\n1;2\n1;2;3;4\n"), some))
        .containsExactly("line 2: expected at least 3 fields, but got 2");
    assertThat(problems(write("1;2;x\n1;2\nq;2;3\n1;2;3;4\n"), semicolons))
        .containsExactly(
            "line 2: expected 3 fields, but got 2",
            "line 3, column 'a': expected int32, but got \"q\"",
            "line 4: expected 3 fields, but got 4");
  }

  @Test
  void aBadRowCostsOnlyItself() throws IOException {
    String file =
        write(
            """
            a,b,c
            1,2,x
            q,2,x
            ,2,x
            2,3
            2147483648,1,x
            3,1f,x
            4,2,"a"b
            5,2,a"b
            6,"2
            7",x
            8,3,"y
            z"
            9,3,ok
            """);
    assertThat(problems(file, COLUMNS))
        .containsExactly(
            "line 3, column 'a': expected int32, but got \"q\"",
            "line 4, column 'a': expected a value of type int32, but the field is empty; give the"
                + " column a default by or(…)",
            "line 5: expected 3 fields, but got 2",
            "line 6, column 'a': expected int32, but got \"2147483648\"",
            "line 7, column 'b': expected float, but got \"1f\"",
            "line 8, column 'c': expected a delimiter after the closing quote, but got more text",
            "line 9, column 'c': expected no quote within a field that does not begin with one;"
                + " quote the field and double the quote",
            "line 10, column 'b': expected float, but got \"2\n7\"");
    assertThat(outcomes(file, COLUMNS))
        .containsSubsequence("[1, 2.0, x]", "error", "[8, 3.0, y\nz]", "[9, 3.0, ok]", "end");
    assertThat(Outcomes.errors(csv(file, COLUMNS)))
        .allSatisfy(
            e -> {
              assertThat(e.isTerminal()).isFalse();
              assertThat(e)
                  .hasMessageContaining("csv (CsvOpTest.java:")
                  .hasMessageContaining(file + ", line ");
            });
  }

  @Test
  void aQuoteThatIsNeverClosedCostsItsLine() throws IOException {
    String file = write("a,b,c\n1,2,\"x\n2,3,y\n3,4,z\n");
    assertThat(problems(file, COLUMNS))
        .containsExactly("line 2, column 'c': expected the quote to be closed, but the file ends");
    assertThat(outcomes(file, COLUMNS))
        .containsExactly("error", "[2, 3.0, y]", "[3, 4.0, z]", "end");
  }

  @Test
  void aQuoteThatIsNeverClosedIsGivenUp() throws IOException {
    String file = write("a,b,c\n1,2,\"x\n" + "2,3,y\n".repeat(3_000_000));
    Dataset<Map<String, Tensor>> rows = csv(file, COLUMNS).take(2);
    List<PipelineException> errors = Outcomes.errors(rows);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasMessageContaining("line 2, column")
        .hasMessageContaining("expected a row of at most 16 MiB, but found no end of it");
  }

  @Test
  void numbersAreReadExactly() throws IOException {
    Random random = new Random(8);
    StringBuilder text = new StringBuilder("i,l,f,d\n");
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      int whole = random.nextInt();
      long large = random.nextLong();
      String real =
          switch (i % 4) {
            case 0 -> Float.toString(random.nextFloat() * 1000);
            case 1 -> Double.toString(random.nextGaussian());
            case 2 -> "%s.%d".formatted(random.nextInt(100), random.nextInt(100_000));
            default -> random.nextInt(100_000) + "e" + (random.nextInt(60) - 30);
          };
      text.append("%d,%d,%s,%s\n".formatted(whole, large, real, real));
      expected.add(
          "[%d, %d, %s, %s]"
              .formatted(whole, large, (double) Float.parseFloat(real), Double.parseDouble(real)));
    }
    expected.add("end");
    Csv numbers = Csv.columns(Csv.int32("i"), Csv.int64("l"), Csv.float32("f"), Csv.float64("d"));
    assertThat(outcomes(write(text.toString()), numbers)).isEqualTo(expected);
    String ends = write("l,d\n-9223372036854775808,nan\n9223372036854775807,-inf\n+5,.5\n-0,5.\n");
    assertThat(outcomes(ends, Csv.columns(Csv.int64("l"), Csv.float64("d"))))
        .containsExactly(
            "[-9223372036854775808, NaN]",
            "[9223372036854775807, -Infinity]",
            "[5, 0.5]",
            "[0, 5.0]",
            "end");
    String bad = write("l,d\n9223372036854775808,1\n-,1\n+,1\n1,.\n1,-\n1,1e\n1,0x10\n1.0,1\n");
    assertThat(problems(bad, Csv.columns(Csv.int64("l"), Csv.float64("d")))).hasSize(8);
    assertThat(outcomes(write("b\ntrue\nFALSE\n1\n0\nyes\n"), Csv.columns(Csv.bool("b"))))
        .containsExactly("[true]", "[false]", "[true]", "[false]", "error", "end");
  }

  @Test
  void typesAreInferred() throws IOException {
    String file = write("id,gap,real,text,none\n1,5,2.5,x,\n2,,3,4,\n3,7,,\"\",\n");
    Map<String, Tensor> row = csv(file).toList().get(1);
    assertThat(row.keySet()).containsExactly("id", "gap", "real", "text", "none");
    assertThat(row.get("id").dtype()).isEqualTo(DType.INT64);
    assertThat(row.get("gap").doubleValue()).isNaN();
    assertThat(row.get("real").dtype()).isEqualTo(DType.FLOAT64);
    assertThat(row.get("text").stringValue()).isEqualTo("4");
    assertThat(row.get("none").stringValue()).isEmpty();
    assertThat(outcomes(file, Csv.inferred()))
        .containsExactly("[1, 5.0, 2.5, x, ]", "[2, NaN, 3.0, 4, ]", "[3, 7.0, NaN, , ]", "end");
    assertThat(outcomes(write("1,x\n2,y\n"), Csv.inferred().withoutHeader()))
        .containsExactly("[1, x]", "[2, y]", "end");
    assertThat(problems(write("a\n1\n2\nx\n"), Csv.inferred().inferFrom(2)))
        .containsExactly("line 4, column 'a': expected int64, but got \"x\"");
    assertThat(Outcomes.errors(csv(write(""))).getFirst())
        .hasMessageContaining("csv: expected rows to infer columns from, but");
    assertThat(Outcomes.errors(csv(folder + "/missing.csv")).getFirst().isTerminal()).isTrue();
    assertThat(outcomes(write("a,b\n"), Csv.inferred())).containsExactly("end");
  }

  private record Iris(
      double sepalLength, @Nullable Integer count, String species, boolean wild, Tensor weight) {}

  @Test
  void rowsCanBeRecords() throws IOException {
    String file =
        write(
            """
            Species,sepal_length,extra,COUNT,wild,weight
            setosa,5.1,0,3,true,7
            ,4.9,0,,0,8
            x,,0,1,1,9
            """);
    Dataset<Iris> rows = csv(file, Iris.class);
    try (Pipeline<Iris> pipeline = rows.open()) {
      var epoch = pipeline.iterator();
      Iris first = epoch.next();
      assertThat(first.sepalLength()).isEqualTo(5.1);
      assertThat(first.count()).isEqualTo(3);
      assertThat(first.species()).isEqualTo("setosa");
      assertThat(first.wild()).isTrue();
      assertThat(first.weight().longValue()).isEqualTo(7);
      Iris second = epoch.next();
      assertThat(second.count()).isNull();
      assertThat(second.species()).isEmpty();
      assertThatThrownBy(epoch::next)
          .hasMessageContaining(
              "line 4, column 'sepal_length': expected a value of type double, but the field is"
                  + " empty");
    }
    Csv declared = Csv.columns(Csv.float32("weight"), Csv.float64("sepalLength").or(-1));
    Iris third = csv(InputFiles.matching(file), declared, Iris.class).toList().get(2);
    assertThat(third.sepalLength()).isEqualTo(-1);
    assertThat(third.weight().dtype()).isEqualTo(DType.FLOAT32);
  }

  private record Positive(int value, Tensor other) {
    Positive {
      if (value < 0) {
        throw new IllegalArgumentException("expected a positive value, but got " + value);
      }
    }
  }

  @Test
  void recordsMayRefuseARow() throws IOException {
    String file = write("5,1.5\n-1,2.5\n7,1\n");
    List<PipelineException> errors =
        Outcomes.errors(
            csv(InputFiles.matching(file), Csv.inferred().withoutHeader(), Positive.class));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasMessageContaining("line 2: expected a positive value, but got -1");
  }

  private record Wrong(int a, Path b) {}

  private record Small(float a) {}

  @Test
  void refusesRecordsThatNoRowFits() {
    assertThatThrownBy(() -> csv("x.csv", Wrong.class))
        .hasMessage(
            "csv: expected component b of Wrong to be a number, boolean, String or Tensor, but it"
                + " is Path");
    assertThatThrownBy(
            () -> csv(InputFiles.matching("x.csv"), Csv.columns(Csv.int32("a")), Small.class))
        .hasMessage(
            "csv: expected component a of Small to be a int32, as its column is declared, but it is"
                + " float");
  }

  @Test
  void aHeaderThatDoesNotFitIsTheEnd() throws IOException {
    PipelineException error = Outcomes.errors(csv(write("a,c\n1,2\n"), COLUMNS)).getFirst();
    assertThat(error.isTerminal()).isTrue();
    assertThat(error)
        .hasMessageContaining(
            "t.csv: expected a column 'b', but the header has a, c; say withoutHeader() if the"
                + " first row is data");
    assertThat(Outcomes.errors(csv(write("a,b,c,b\n"), COLUMNS)).getFirst())
        .hasMessageContaining("expected one column 'b', but the header has several");
    assertThat(Outcomes.errors(csv(write("a,\"b\n1,2\n"), COLUMNS)).getFirst())
        .hasMessageContaining("line 1: expected the quote to be closed, but the file ends");
    assertThat(outcomes(write(""), COLUMNS)).containsExactly("end");
  }

  /** Rows of all lengths, so that they fall everywhere in blocks. */
  @Test
  void rowsOfAnyLengthAreFound() throws IOException {
    Random random = new Random(4);
    StringBuilder text = new StringBuilder("a,b,c\n");
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      int length = i % 1000 == 9 ? random.nextInt(600_000) : random.nextInt(200);
      String value = "x" + "y,\n\"".repeat(length / 4) + "z".repeat(length % 7);
      text.append(i).append(",1,\"").append(value.replace("\"", "\"\"")).append("\"\r\n");
      expected.add("[%d, 1.0, %s]".formatted(i, value));
    }
    expected.add("end");
    assertThat(outcomes(write(text.toString()), COLUMNS)).isEqualTo(expected);
  }

  @Test
  void refusesBadFormats() {
    assertThatThrownBy(() -> Csv.columns(Csv.int32("a"), Csv.int64("a")))
        .hasMessage("csv: expected each column once, but got 'a' twice");
    assertThatThrownBy(() -> Csv.inferred().delimiter('"'))
        .hasMessage(
            "csv: expected an ASCII delimiter other than a quote or a line end, but got '\"'");
    assertThatThrownBy(() -> Csv.int32("a").or("x"))
        .hasMessage("csv: expected a default of type int32 for column 'a', but got x");
    assertThatThrownBy(() -> Csv.int32("a").or(1L << 40))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Csv.Column("a", DType.UINT8, null, -1))
        .hasMessage(
            "csv: expected column 'a' to be bool, int32, int64, float, double or string, but got"
                + " uint8; convert() it afterwards");
    assertThatThrownBy(() -> Csv.columns(Csv.int32("a").at(1)))
        .hasMessage(
            "csv: expected column 'a' to be found by its name, but it is declared at(1); say"
                + " withoutHeader() for files without names");
    assertThatThrownBy(() -> Csv.inferred().inferFrom(0))
        .hasMessage("csv: expected at least 1 row to infer columns from, but got 0");
  }

  @Test
  void explainsItsColumns() {
    assertThat(csv("x.csv", COLUMNS.delimiter(';')).explain())
        .startsWith("csv(files=[x.csv], format=[a:int32, b:float=1.5, c:string=x, delimiter ;])");
  }
}
