package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Pages that newcomers read use words that readers whose first language is not English know. What
 * programs print, and code, is left alone.
 */
class PlainEnglishTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern RARE =
      Pattern.compile(
          "(?i)\\b(?:whoever|whomever|nobody|anew|of late|reckon(?:s|ed)?|foretells?|hired off"
              + "|how manieth|gravest|mend(?:s|ed)?|so much as|dear|thereof|in its stead)\\b");
  private static final Pattern FENCED =
      Pattern.compile("(?m)^ *```.*?^ *```$", Pattern.DOTALL | Pattern.MULTILINE);

  @Test
  void pagesForNewcomersUsePlainWords() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : pages()) {
      String prose = FENCED.matcher(Files.readString(page)).replaceAll("");
      RARE.matcher(prose)
          .results()
          .map(MatchResult::group)
          .forEach(word -> found.add(page + ": " + word));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void theReadmeIsShort() throws IOException {
    assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(90);
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String name : List.of("README.md", "CONTRIBUTING.md", "docs/README.md")) {
      pages.add(ROOT.resolve(name));
    }
    for (String folder : List.of("docs/start", "docs/guides")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages;
  }
}
