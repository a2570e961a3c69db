package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.golden.LogRecords;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
final class SettingNamesTest {
  @Test
  void namesThatLookLikeASettingAreToldWithTheNearest() {
    assertThat(SettingNames.unknown(List.of("headrace.cpu.budgte"), Map.of()))
        .containsExactly(
            "property headrace.cpu.budgte: expected the name of a setting, but there is none of"
                + " that name; did you mean headrace.cpu.budget?");
    assertThat(SettingNames.unknown(List.of(), Map.of("HEADRACE_HEAP_BUGET", "1")))
        .containsExactly(
            "variable HEADRACE_HEAP_BUGET: expected the name of a setting, but there is none of"
                + " that name; did you mean HEADRACE_HEAP_BUDGET?");
    assertThat(SettingNames.unknown(List.of("headrace.something.else.altogether"), Map.of()))
        .containsExactly(
            "property headrace.something.else.altogether: expected the name of a setting, but there"
                + " is none of that name; headrace config lists them");
  }

  @Test
  void namesThatAreKnownOrNotOursAreNotTold() {
    assertThat(
            SettingNames.unknown(
                List.of(
                    "headrace.cpu.budget",
                    "headrace.mmap",
                    "headrace.test.heap",
                    "java.home",
                    "headracer"),
                Map.of("HEADRACE_DEBUG", "1", "HEADRACE_CLUSTER_OF_ANOTHER_PROGRAM", "x")))
        .isEmpty();
  }

  @Test
  void openingAPipelineTellsThemOnce() {
    System.setProperty("headrace.thread.limt", "4");
    try (LogRecords log = LogRecords.of("headrace.settings")) {
      assertThat(Dataset.range(3).toList()).hasSize(3);
      assertThat(Dataset.range(3).toList()).hasSize(3);
      assertThat(log.messages())
          .containsExactly(
              "property headrace.thread.limt: expected the name of a setting, but there is none of"
                  + " that name; did you mean headrace.thread.limit?");
    } finally {
      System.clearProperty("headrace.thread.limt");
    }
  }

  @Test
  void everyPropertyThatTheSourcesReadIsKnown() throws IOException {
    Pattern read =
        Pattern.compile(
            "(?:getProperty|getBoolean|getInteger|getLong)\\(\\s*\"headrace\\.([\\w.]+)\""
                + "|PROPERTY = \"headrace\\.([\\w.]+)\"");
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      for (Path file :
          files
              .filter(each -> each.toString().endsWith(".java"))
              .filter(each -> each.toString().contains("/src/"))
              .toList()) {
        read.matcher(Files.readString(file))
            .results()
            .forEach(
                found ->
                    names.add(
                        "headrace." + (found.group(1) == null ? found.group(2) : found.group(1))));
      }
    }
    assertThat(names).contains("headrace.mmap", "headrace.turbojpeg");
    assertThat(SettingNames.unknown(names, Map.of())).isEmpty();
  }
}
