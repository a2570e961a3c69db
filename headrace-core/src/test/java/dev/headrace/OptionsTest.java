package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
  private final List<String> properties = new ArrayList<>();

  private void property(String name, String value) {
    properties.add("headrace." + name);
    System.setProperty("headrace." + name, value);
  }

  @AfterEach
  void clearProperties() {
    properties.forEach(System::clearProperty);
  }

  private static Options.Setting setting(Options options, String name) {
    return options.effective().stream()
        .filter(setting -> setting.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void codeComesBeforeThePropertyAndThePropertyBeforeTheDefault() {
    Options options = Options.defaults();
    assertThat(setting(options, "cpu.budget"))
        .isEqualTo(
            new Options.Setting(
                "cpu.budget",
                Runtime.getRuntime().availableProcessors(),
                Integer.toString(Runtime.getRuntime().availableProcessors()),
                "default"));
    property("cpu.budget", "3");
    assertThat(setting(options, "cpu.budget"))
        .isEqualTo(new Options.Setting("cpu.budget", 3, "3", "property headrace.cpu.budget"));
    assertThat(setting(options.cpuBudget(7), "cpu.budget"))
        .isEqualTo(new Options.Setting("cpu.budget", 7, "7", "code"));
    assertThat(options.cpuBudget(7).settings().cpuBudget()).isEqualTo(7);
    assertThat(options.settings().cpuBudget()).isEqualTo(3);
  }

  @Test
  void everySettingCanBeGivenByProperty() {
    for (Options.Setting setting : Options.defaults().effective()) {
      boolean isFlag = setting.text().equals("true") || setting.text().equals("false");
      property(setting.name(), isFlag ? "on" : "5");
    }
    assertThat(Options.defaults().effective())
        .hasSizeGreaterThanOrEqualTo(11)
        .allSatisfy(
            setting ->
                assertThat(setting.origin()).isEqualTo("property headrace." + setting.name()));
  }

  @Test
  void everySettingCanBeGivenInCode() {
    Options options =
        Options.defaults()
            .deterministic(false)
            .debug()
            .ownedBatches(true)
            .strictBatches(true)
            .requireCheckpoint()
            .assumePure()
            .asWritten()
            .tune(false)
            .cpuBudget(2)
            .threadLimit(3)
            .virtualLimit(4)
            .heapBudget(3000)
            .nativeBudget(4000)
            .memoryBudget(5000)
            .spillTo(Path.of("disk"))
            .spillBudget(6000)
            .stallAfter(Duration.ofSeconds(6))
            .closeGrace(Duration.ofSeconds(7));
    assertThat(options.effective())
        .allSatisfy(setting -> assertThat(setting.origin()).isEqualTo("code"));
    assertThat(options.settings().heapBudget()).isEqualTo(3000);
    assertThat(options.settings().nativeBudget()).isEqualTo(4000);
    assertThat(options.settings().memoryBudget()).isEqualTo(5000);
    assertThat(options.settings().stallAfter()).isEqualTo(Duration.ofSeconds(6));
    assertThat(options.settings().closeGrace()).isEqualTo(Duration.ofSeconds(7));
    assertThat(options.settings().deterministic()).isFalse();
  }

  @Test
  void spillingIsAllowedIntoATemporaryFolderUnlessSaidOtherwise() {
    Options options = Options.defaults();
    assertThat(setting(options, "spill").isTrue()).isTrue();
    assertThat(setting(options, "spill.folder").origin()).isEqualTo("default");
    assertThat(setting(options, "spill.budget").text()).isEqualTo("4/5 of what is free");
    assertThat(options.spill(false).settings().spill().refusal())
        .isEqualTo("spilling is off: leave out options.spill(false)");
    assertThat(options.spillTo(Path.of("/disk")).settings().spill().folder())
        .isEqualTo(Path.of("/disk"));
    assertThat(options.spill(false).spillTo(Path.of("/disk")).settings().spill().refusal())
        .isNull();
    property("spill.folder", "/elsewhere");
    assertThat(options.settings().spill().folder()).isEqualTo(Path.of("/elsewhere"));
    property("spill", "off");
    assertThat(options.settings().spill().refusal()).isNotNull();
    assertThat(options.settings().spill().folder()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "512, 512",
    "256MB, 268435456",
    "256mb, 268435456",
    "256 MB, 268435456",
    "256M, 268435456",
    "256MiB, 268435456",
    "4kb, 4096",
    "2GiB, 2147483648",
    "1T, 1099511627776",
    "100B, 100",
  })
  void sizesMayHaveUnits(String text, long bytes) {
    property("native.budget", text);
    assertThat(setting(Options.defaults(), "native.budget").value()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "many", "12x", "1.5GB", "MB", "99999999999999999999", "9000000T"})
  void refusesWhatIsNoNumber(String text) {
    property("heap.budget", text);
    assertThatThrownBy(() -> Options.defaults().effective())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "property headrace.heap.budget: expected a number such as 8 or 256MB, but got '"
                + text
                + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "-5MB"})
  void refusesNumbersBelowOne(String text) {
    property("heap.budget", text);
    assertThatThrownBy(() -> Options.defaults().effective())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("property headrace.heap.budget: expected at least 1, but got ");
  }

  @ParameterizedTest
  @CsvSource({"true, true", "ON, true", "1, true", "yes, true", "off, false", "No, false"})
  void flagsHaveSeveralWords(String text, boolean value) {
    property("debug", text);
    assertThat(Options.defaults().settings().debug()).isEqualTo(value);
  }

  @Test
  void refusesAFlagThatIsNone() {
    property("debug", "perhaps");
    assertThatThrownBy(() -> Dataset.range(3).open())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("property headrace.debug: expected true or false, but got 'perhaps'");
  }

  @Test
  void refusesBadValuesInCode() {
    Options options = Options.defaults();
    assertThatThrownBy(() -> options.cpuBudget(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cpuBudget: expected at least 1, but got 0");
    assertThatThrownBy(() -> options.threadLimit(-1))
        .hasMessage("threadLimit: expected at least 1, but got -1");
    assertThatThrownBy(() -> options.virtualLimit(0))
        .hasMessage("virtualLimit: expected at least 1, but got 0");
    assertThatThrownBy(() -> options.heapBudget(0))
        .hasMessage("heapBudget: expected at least 1, but got 0");
    assertThatThrownBy(() -> options.nativeBudget(-9))
        .hasMessage("nativeBudget: expected at least 1, but got -9");
    assertThatThrownBy(() -> options.memoryBudget(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void settingOneLeavesTheOthersAndTheOriginal() {
    Options first = Options.defaults().cpuBudget(2);
    Options second = first.threadLimit(9);
    assertThat(setting(second, "cpu.budget").value()).isEqualTo(2);
    assertThat(setting(first, "thread.limit").origin()).isEqualTo("default");
    assertThat(setting(Options.defaults(), "cpu.budget").origin()).isEqualTo("default");
  }
}
