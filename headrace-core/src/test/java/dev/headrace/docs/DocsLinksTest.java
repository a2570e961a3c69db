package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Relative links of all pages lead to files and headings that exist, paths in Javadoc lead to
 * pages, and every page can be reached from README.
 */
class DocsLinksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*)$");
  private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\">");
  private static final Pattern FENCED =
      Pattern.compile("(?m)^ *```.*?^ *```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern PAGE_IN_SOURCE = Pattern.compile("docs/[\\w/-]+\\.(?:md|png)");

  @Test
  void relativeLinksLeadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    List<Path> pages = pages();
    assertThat(pages).as("pages under %s", ROOT).hasSizeGreaterThan(20);
    for (Path page : pages) {
      for (String link : links(page)) {
        String why = whyBroken(page, link);
        if (!why.isEmpty()) {
          broken.add("%s: %s: %s".formatted(ROOT.relativize(page), link, why));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyPageCanBeReachedFromTheReadme() throws IOException {
    Set<Path> reached = new HashSet<>();
    List<Path> open = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    while (!open.isEmpty()) {
      Path page = open.removeLast();
      if (reached.add(page)) {
        for (String link : links(page)) {
          Path target = target(page, link);
          if (target.toString().endsWith(".md") && Files.exists(target)) {
            open.add(target);
          }
        }
      }
    }
    Set<Path> pages = new TreeSet<>(pages());
    pages.removeIf(page -> !page.startsWith(ROOT.resolve("docs")));
    assertThat(reached).containsAll(pages);
  }

  @Test
  void pagesThatSourcesNameExist() throws IOException {
    List<String> missing = new ArrayList<>();
    for (Path source : sources()) {
      Matcher name = PAGE_IN_SOURCE.matcher(Files.readString(source));
      while (name.find()) {
        if (!Files.exists(ROOT.resolve(name.group()))) {
          missing.add("%s: %s".formatted(ROOT.relativize(source), name.group()));
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  private static String whyBroken(Path page, String link) throws IOException {
    Path file = target(page, link);
    if (!file.startsWith(ROOT)) {
      return "leads out of the repository";
    }
    if (!Files.exists(file)) {
      return "no such file";
    }
    int hash = link.indexOf('#');
    boolean named = hash >= 0 && file.toString().endsWith(".md");
    return named && !anchors(file).contains(link.substring(hash + 1)) ? "no such heading" : "";
  }

  private static Path target(Path page, String link) {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    return path.isEmpty() ? page : page.resolveSibling(path).normalize();
  }

  private static List<String> links(Path page) throws IOException {
    List<String> links = new ArrayList<>();
    Matcher link = LINK.matcher(prose(page).replaceAll("`[^`\n]*`", ""));
    while (link.find()) {
      if (!link.group(1).matches("[a-z]+:.*")) {
        links.add(link.group(1));
      }
    }
    return links;
  }

  /** The names by which headings are linked to: GitHub's rule, which other viewers share. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    String prose = prose(page);
    Matcher heading = HEADING.matcher(prose);
    while (heading.find()) {
      String name =
          heading
              .group(1)
              .strip()
              .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
              .replace(' ', '-');
      int times = seen.merge(name, 1, Integer::sum);
      anchors.add(times == 1 ? name : name + "-" + (times - 1));
    }
    Matcher anchor = ANCHOR.matcher(prose);
    while (anchor.find()) {
      anchors.add(anchor.group(1));
    }
    return anchors;
  }

  private static String prose(Path page) throws IOException {
    return FENCED.matcher(Files.readString(page)).replaceAll("");
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
      pages.add(ROOT.resolve(name));
    }
    for (String folder : List.of("docs", "examples", "peers")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
        files.filter(f -> f.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages;
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> folders = Files.list(ROOT)) {
      for (Path module : folders.filter(f -> Files.exists(f.resolve("src"))).toList()) {
        try (Stream<Path> files = Files.walk(module.resolve("src"))) {
          files.filter(f -> f.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }
}
