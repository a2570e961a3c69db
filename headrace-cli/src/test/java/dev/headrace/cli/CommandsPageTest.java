package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/reference/commands.md} has every command, its exit codes, and options that exist. */
class CommandsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/commands.md");

  /** Options of the programs in examples, which are handed on to them. */
  private static final Set<String> OF_PROGRAMS = Set.of("--lr");

  private static CommandLine command() {
    return Main.commandLine(new StringWriter(), new StringWriter());
  }

  @Test
  void hasEveryCommand() throws IOException {
    String page = Files.readString(PAGE);
    for (String name : command().getSubcommands().keySet()) {
      assertThat(page).containsPattern("(?m)^(?:## " + name + "$|\\| `" + name + "` \\|)");
    }
  }

  @Test
  void namesOptionsThatExist() throws IOException {
    Set<String> known = new TreeSet<>(OF_PROGRAMS);
    collect(command(), known);
    Matcher option = Pattern.compile("(?<![\\w-])(--[a-z][a-z-]*)").matcher(Files.readString(PAGE));
    while (option.find()) {
      assertThat(known).contains(option.group(1));
    }
  }

  @Test
  void hasTheExitCodes() throws IOException {
    String page = Files.readString(PAGE);
    String codes = page.substring(page.indexOf("## Exit codes"), page.indexOf("## In a build"));
    Set<Integer> named = new TreeSet<>();
    Matcher row = Pattern.compile("(?m)^\\| (\\d+) \\|").matcher(codes);
    while (row.find()) {
      named.add(Integer.parseInt(row.group(1)));
    }
    assertThat(named).containsExactly(Main.OK, Main.FAILED, Main.USAGE, Main.STOPPED);
  }

  private static void collect(CommandLine command, Set<String> options) {
    command.getCommandSpec().optionsMap().keySet().forEach(options::add);
    command.getSubcommands().values().forEach(each -> collect(each, options));
  }
}
