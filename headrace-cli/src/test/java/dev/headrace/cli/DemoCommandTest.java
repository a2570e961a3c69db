package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  @TempDir private Path folder;

  @Test
  void demosAreListed() {
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("demo", "list")).isEqualTo(Main.OK);
    assertThat(command.out()).contains("000-1", "dev.headrace.examples.SlowLoading");
    String listed = command.out();
    assertThat(command.run("demo")).isEqualTo(Main.OK);
    assertThat(command.out()).isEqualTo(listed);
    assertThat(command.run("demo", "--json")).isEqualTo(Main.OK);
    assertThat(command.json().get("demos"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSizeGreaterThan(3);
  }

  @Test
  void everyDemoHasAMainMethodAndAnIdOfItsOwn() throws IOException, ClassNotFoundException {
    List<Demo> demos = Demo.all();
    assertThat(demos).extracting(Demo::id).doesNotHaveDuplicates().contains("000-1", "002-3");
    for (Demo demo : demos) {
      assertThat(MainMethod.of(Class.forName(demo.type()))).as(demo.id()).isNotNull();
      assertThat(demo.title()).isNotBlank();
    }
  }

  @Test
  void aDemoIsRun() {
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("demo", "000-1", "--", "20", "1")).isEqualTo(Main.OK);
    assertThat(command.err()).contains("000-1: ");
    assertThat(command.run("demo", "000-1", "--", "many")).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("the program failed:", "NumberFormatException");
    assertThat(command.run("demo", "999")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("DEMO: expected 000-1, ", "or list, but got '999'");
    assertThat(command.run("demo", "000-1", "--json")).isEqualTo(Main.USAGE);
  }
}
