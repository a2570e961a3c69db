package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code docs/decisions.md} has each number once, in ascending order under each heading. */
class DecisionsPageTest {
  private static final Path PAGE = Path.of("../docs/decisions.md");
  private static final Pattern NUMBER = Pattern.compile("(?m)^\\*\\*(\\d+)\\. ");

  @Test
  void numbersAreUsedOnceAndWithoutGaps() throws IOException {
    List<Integer> numbers = numbers(Files.readString(PAGE));
    assertThat(numbers)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, numbers.size()).boxed().toList());
  }

  @Test
  void numbersAscendUnderEachHeading() throws IOException {
    for (String section : Files.readString(PAGE).split("(?m)^## ")) {
      assertThat(numbers(section)).as(section.lines().findFirst().orElse("")).isSorted();
    }
  }

  @Test
  void revisionsNameLaterDecisions() throws IOException {
    String page = Files.readString(PAGE);
    int last = numbers(page).size();
    for (String decision : page.split("(?m)^(?=\\*\\*\\d+\\. )")) {
      List<Integer> own = numbers(decision);
      Matcher revised =
          Pattern.compile("\\*(?:Revised|Superseded|Extended|Completed) by (\\d+)")
              .matcher(decision);
      while (revised.find()) {
        assertThat(Integer.parseInt(revised.group(1)))
            .as("what revises decision %s", own)
            .isGreaterThan(own.getFirst())
            .isLessThanOrEqualTo(last);
      }
    }
  }

  private static List<Integer> numbers(String text) {
    List<Integer> numbers = new ArrayList<>();
    Matcher number = NUMBER.matcher(text);
    while (number.find()) {
      numbers.add(Integer.parseInt(number.group(1)));
    }
    return numbers;
  }
}
