package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the tags of a page: that they are closed in order, and which elements there are. */
final class HtmlTags {
  private static final Set<String> WITHOUT_END = Set.of("meta", "link", "br", "!doctype");
  private static final Pattern TAG =
      Pattern.compile("<(/?)([!A-Za-z][A-Za-z0-9]*)((?:[^>\"]|\"[^\"]*\")*?)(/?)>");
  private static final Pattern ATTRIBUTE = Pattern.compile("\\s([a-zA-Z:-]+)=");

  private HtmlTags() {}

  /** The names of all elements and attributes; fails where tags do not match. */
  static Set<String> names(String page) {
    String text = page.replaceAll("(?s)<(style|script)>.*?</\\1>", "<$1></$1>");
    Set<String> names = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>();
    Matcher tags = TAG.matcher(text);
    int found = 0;
    while (tags.find()) {
      found++;
      String name = tags.group(2).toLowerCase(Locale.ROOT);
      names.add(name);
      if (!tags.group(1).isEmpty()) {
        assertThat(open.pop()).as("element closed at %s", tags.start()).isEqualTo(name);
      } else if (tags.group(4).isEmpty() && !WITHOUT_END.contains(name)) {
        open.push(name);
      }
      Matcher attributes = ATTRIBUTE.matcher(tags.group(3).replaceAll("\"[^\"]*\"", "\"\""));
      while (attributes.find()) {
        names.add("@" + attributes.group(1));
      }
    }
    assertThat(open).as("elements that were never closed").isEmpty();
    assertThat(text.chars().filter(c -> c == '<').count())
        .as("every < opens a tag")
        .isEqualTo(found);
    return names;
  }
}
