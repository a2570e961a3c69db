package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/settings.md} names all settings, with their methods and defaults. */
class SettingsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/settings.md");

  /** For tests of Headrace itself. */
  private static final Set<String> FOR_TESTS = Set.of("ptxas");

  /** Of these the default depends on the machine, or on other settings, and is told in words. */
  private static final Set<String> IN_WORDS =
      Set.of(
          "strict.batches",
          "cpu.budget",
          "heap.budget",
          "native.budget",
          "memory.budget",
          "spill.folder",
          "spill.budget");

  @Test
  void namesEverySettingAndNoOther() throws IOException {
    String page = Files.readString(PAGE);
    Set<String> known = new TreeSet<>(SettingNames.OTHERS);
    known.removeAll(FOR_TESTS);
    Options.defaults().effective().forEach(setting -> known.add(setting.name()));
    Set<String> named = new TreeSet<>();
    Matcher property = Pattern.compile("`headrace\\.([\\w.]+)`").matcher(page);
    while (property.find()) {
      named.add(property.group(1));
    }
    for (String name : known) {
      String variable = "HEADRACE_" + name.toUpperCase(Locale.ROOT).replace('.', '_');
      if (page.contains("variable `" + variable + "`")) {
        named.add(name);
      }
    }
    assertThat(named).isEqualTo(known);
  }

  @Test
  void tellsTheDefaults() throws IOException {
    Map<String, List<String>> rows = rows();
    for (Options.Setting setting : Options.defaults().effective()) {
      List<String> row = rows.get("headrace." + setting.name());
      assertThat(row).as(setting.name()).isNotNull();
      if (!IN_WORDS.contains(setting.name()) && setting.origin().equals("default")) {
        assertThat(row.get(2).replace("`", "")).as(setting.name()).isEqualTo(setting.text());
      }
    }
  }

  @Test
  void namesTheMethodsOfOptions() throws IOException {
    String page = Files.readString(PAGE);
    Set<String> methods =
        Arrays.stream(Options.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> method.getReturnType() == Options.class)
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(methods)
        .isNotEmpty()
        .allSatisfy(method -> assertThat(page).contains("`" + method + "("));
  }

  private static Map<String, List<String>> rows() throws IOException {
    Map<String, List<String>> rows = new HashMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("| `headrace.")) {
        List<String> cells =
            Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList();
        rows.put(cells.getFirst().replace("`", ""), cells);
      }
    }
    return rows;
  }
}
