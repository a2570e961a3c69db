package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.profile.Profile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OtherProgramsTest {
  @Test
  void aNameMayHoldBracketsSpacesAndEscapes() {
    String line =
        "42 (a) b\u001b[31m) R 1 42 42 0 -1 4194304 10 0 0 0 250 50 0 0 20 0 1 0 1 1 1 1\n";
    assertThat(OtherPrograms.parse(line.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(new OtherPrograms.Used("a) b?[31m", 300));
  }

  @Test
  void theBusiestComeFirstAndThisProgramIsNotAmongThem() {
    Map<Long, OtherPrograms.Used> then = Map.of(1L, new OtherPrograms.Used("python3", 100));
    Map<Long, OtherPrograms.Used> now =
        Map.of(
            1L, new OtherPrograms.Used("python3", 280),
            2L, new OtherPrograms.Used("gcc", 30),
            3L, new OtherPrograms.Used("gcc", 30),
            4L, new OtherPrograms.Used("idle", 1),
            5L, new OtherPrograms.Used("java", 200));
    List<Profile.Program> busiest = OtherPrograms.busiest(then, now, 2, 5);
    assertThat(busiest)
        .containsExactly(new Profile.Program("python3", 0.9), new Profile.Program("gcc", 0.3));
  }
}
