package dev.headrace.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program on the module path whose packages are closed, in a process of its own. */
@Timeout(120)
class ClosedModuleTest {
  private static final String MODULE = "module app { requires dev.headrace.core; }";

  private static final String PROGRAM =
      """
      package app.closed;

      import dev.headrace.Dataset;
      import dev.headrace.Options;
      import dev.headrace.Pipeline;
      import dev.headrace.data.Seed;
      import dev.headrace.spi.ContentIdentity;
      import dev.headrace.spi.Fn;
      import java.nio.file.Path;
      import java.util.Iterator;
      import java.util.List;
      import java.util.Map;

      public final class Program {
        record Scale(long k, long[] table) implements Fn<Long, Long> {
          public Long apply(Long x) { return k * x; }
        }

        static final class Adder implements Fn<Long, Long> {
          private final long by;
          private final Object first;
          private final Object second;
          Adder(long by, Object first, Object second) {
            this.by = by;
            this.first = first;
            this.second = second;
          }
          public Long apply(Long x) { return by + x; }
        }

        static final class Forgetful implements Fn<Long, Long> {
          private final transient long by;
          Forgetful(long by) { this.by = by; }
          public Long apply(Long x) { return by + x; }
        }

        record Pt(int x) {}

        record Sample(float[] values, String label) {}

        record Written(float[] values, Inner inner) implements java.io.Serializable {}

        record Inner(int[] places, String label) implements java.io.Serializable {}

        /** Tells whether a shuffle of 200 elements is charged with what they take. */
        static void weigh(String name, Dataset<Object> samples, long bytesEach, int most) {
          try (Pipeline<Object> pipeline = samples.shuffle(200, Seed.of(1)).open()) {
            Iterator<Object> each = pipeline.iterator();
            for (int i = 0; i < 2500; i++) {
              each.next();
            }
            long held = pipeline.stats().memory().heapBytes();
            boolean isTrue = held >= 200 * bytesEach && held < most * bytesEach;
            System.out.println(name + "=" + (isTrue ? "true" : held + " bytes"));
          }
        }

        static float[] floats(long i) {
          return new float[i < 400 ? 100 : 10_000];
        }

        static Fn<Long, Long> plus(Object captured) {
          return x -> x + captured.hashCode();
        }

        static void tell(String name, Object value) {
          ContentIdentity identity = ContentIdentity.of(value);
          System.out.println(name + "=" + (identity.isWhole() ? identity.hash() : identity.missing()));
        }

        public static void main(String[] arguments) throws Exception {
          Fn<Long, Long> one = i -> i + 1;
          Fn<Long, Long> square = i -> i * i;
          tell("one", one);
          tell("square", square);
          tell("plus 1", plus(1));
          tell("plus 2", plus(2));
          tell("plus map", plus(Map.of("a", 1, "b", 2, "c", 3)));
          tell("scale 1", new Scale(1, new long[] {1}));
          tell("scale 1 again", new Scale(1, new long[] {1}));
          tell("scale 2", new Scale(2, new long[] {1}));
          tell("scale 1, table 2", new Scale(1, new long[] {2}));
          tell("adder first", new Adder(1, "a", null));
          tell("adder second", new Adder(1, null, "a"));
          tell("adder of adder 1", new Adder(1, null, new Adder(1, "b", null)));
          tell("adder of adder 2", new Adder(1, null, new Adder(2, "b", null)));
          tell("forgetful", new Forgetful(1));
          tell("point", new Pt(1));
          Dataset<Long> numbers = Dataset.range(3000).options(Options.defaults().asWritten());
          weigh("sample", numbers.map(i -> new Sample(floats(i), "label " + i)), 40_100, 210);
          Dataset<Long> next = Dataset.range(3000).map(i -> i + 1, 1);
          weigh("read ahead", next.map(i -> new Sample(floats(i), ""), 1), 40_050, 300);
          weigh("of others", numbers.map(i -> floats(i)).map(x -> new Sample(x, "")), 40_050, 210);
          weigh(
              "written",
              numbers.map(i -> new Written(floats(i), new Inner(new int[100], "label"))),
              40_550,
              205);
          Path file = Path.of(arguments[0]);
          System.out.println("first=" + Dataset.range(4).map(one).cache(file).toList());
          System.out.println("second=" + Dataset.range(4).map(square).cache(file).toList());
          System.out.println(
              "scaled=" + Dataset.range(4).map(new Scale(10, new long[0])).cache(file).toList());
        }
      }
      """;

  @TempDir Path folder;

  @Test
  void functionsAndRecordsOfClosedPackagesAreToldApart() throws Exception {
    compile();
    Map<String, String> first = run();
    assertThat(first)
        .containsEntry("first", "[1, 2, 3, 4]")
        .containsEntry("second", "[0, 1, 4, 9]")
        .containsEntry("scaled", "[0, 10, 20, 30]");
    List<String> distinct =
        List.of(
            "one",
            "square",
            "plus 1",
            "plus 2",
            "plus map",
            "scale 1",
            "scale 2",
            "scale 1, table 2",
            "adder first",
            "adder second",
            "adder of adder 1",
            "adder of adder 2");
    assertThat(distinct.stream().map(first::get)).doesNotHaveDuplicates().allMatch(this::isHash);
    assertThat(first.get("scale 1 again")).isEqualTo(first.get("scale 1"));
    for (String closed : List.of("forgetful", "point")) {
      assertThat(first.get(closed))
          .contains("because its module keeps package app.closed closed")
          .contains("open it to dev.headrace.core");
    }
    for (String weighed : List.of("sample", "read ahead", "of others", "written")) {
      assertThat(first).containsEntry(weighed, "true");
    }
    Map<String, String> second = run();
    assertThat(second).isEqualTo(first);
  }

  private boolean isHash(String text) {
    return text.matches("[0-9a-f]{64}");
  }

  private void compile() throws IOException, URISyntaxException {
    Path source = Files.createDirectories(folder.resolve("source/app/closed"));
    Path module = Files.writeString(folder.resolve("source/module-info.java"), MODULE);
    Path program = Files.writeString(source.resolve("Program.java"), PROGRAM);
    jarOfCore();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                OutputStream.nullOutputStream(),
                null,
                "-proc:none",
                "-nowarn",
                "-p",
                folder.resolve("core.jar").toString(),
                "-d",
                folder.resolve("app").toString(),
                module.toString(),
                program.toString());
    assertThat(result).isZero();
  }

  /** The classes under test as a module, also where they were compiled as none. */
  private void jarOfCore() throws IOException, URISyntaxException {
    Path classes =
        Path.of(ContentIdentity.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    manifest.getMainAttributes().putValue("Automatic-Module-Name", "dev.headrace.core");
    try (OutputStream out = Files.newOutputStream(folder.resolve("core.jar"));
        JarOutputStream jar = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(classes)) {
      jar.setLevel(0);
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString().replace('\\', '/');
        if (!name.startsWith("META-INF")) {
          jar.putNextEntry(new JarEntry(name));
          Files.copy(file, jar);
        }
      }
    }
  }

  private Map<String, String> run() throws IOException, InterruptedException {
    Path file = folder.resolve("cache");
    Files.deleteIfExists(file);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-p",
                folder.resolve("core.jar")
                    + System.getProperty("path.separator")
                    + folder.resolve("app"),
                "-m",
                "app/app.closed.Program",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    Map<String, String> told = new LinkedHashMap<>();
    output
        .lines()
        .filter(line -> line.contains("="))
        .forEach(line -> told.put(line.split("=", 2)[0], line.split("=", 2)[1]));
    return told;
  }
}
