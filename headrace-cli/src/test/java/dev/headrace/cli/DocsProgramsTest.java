package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole programs in README, CONTRIBUTING and the documentation compile. */
class DocsProgramsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BLOCK =
      Pattern.compile("(?m)^```java\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern WHOLE = Pattern.compile("\\b(?:class|record)\\s+\\w+|void main\\(");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern TYPE =
      Pattern.compile("(?m)^(?:public |final )*(?:class|record) (\\w+)");
  private static final Pattern COMPACT = Pattern.compile("(?m)^void main\\(");

  @TempDir private Path folder;

  private int compiled;

  @Test
  void programsCompile() throws IOException {
    int programs = 0;
    for (Path page : pages()) {
      List<Program> found = programs(page);
      programs += found.size();
      if (!found.isEmpty()) {
        assertThat(errors(found)).as(ROOT.relativize(page).toString()).isEmpty();
      }
    }
    assertThat(programs).isGreaterThan(6);
  }

  @Test
  void theReadmeHasOneProgram() throws IOException {
    assertThat(programs(ROOT.resolve("README.md"))).hasSize(1);
  }

  private List<String> errors(List<Program> programs) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    Path out = Files.createDirectory(folder.resolve("classes-" + compiled++));
    List<String> options =
        List.of(
            "-proc:none",
            "-d",
            out.toString(),
            "-classpath",
            System.getProperty("java.class.path"));
    compiler.getTask(null, null, found, options, null, programs).call();
    return found.getDiagnostics().stream()
        .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
        .map(each -> each.getLineNumber() + ": " + each.getMessage(Locale.ROOT))
        .toList();
  }

  /** Blocks that say what they import; others are parts of programs. */
  private static List<Program> programs(Path page) throws IOException {
    List<Program> programs = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(page));
    while (block.find()) {
      String code = block.group(1);
      boolean saysImports = code.startsWith("import ") || code.startsWith("package ");
      if (saysImports && WHOLE.matcher(code).find()) {
        Matcher packageOf = PACKAGE.matcher(code);
        Matcher type = TYPE.matcher(code);
        boolean isNamed = !COMPACT.matcher(code).find() && type.find();
        String name = isNamed ? type.group(1) : "Program" + programs.size();
        String path = packageOf.find() ? packageOf.group(1).replace('.', '/') + "/" : "";
        programs.add(new Program(path + name, code));
      }
    }
    return programs;
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    pages.add(ROOT.resolve("README.md"));
    pages.add(ROOT.resolve("CONTRIBUTING.md"));
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  private static final class Program extends SimpleJavaFileObject {
    private final String code;

    Program(String name, String code) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.code = code;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return code;
    }
  }
}
