package dev.headrace.report;

import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes out of texts what says who ran something and where: home folders, the names of user and
 * machine, addresses of people, and of URLs the credentials and the query.
 *
 * <p>It works on every text of a diagnosis before anything is drawn or cut, so that no part of a
 * name is left over.
 */
final class Redaction {
  private static final String HOME = "~";
  private static final String LEFT_OUT = "…";

  /** Names that tell nothing of anybody. */
  private static final Set<String> COMMON = Set.of("root", "user", "localhost", "headrace");

  private record Rule(Pattern pattern, String replacement) {}

  private static final List<Rule> EVERYWHERE =
      List.of(
          rule("(?i)(\\b[a-z][a-z0-9+.-]*://)[^/@\\s\"'<>]*@", "$1"),
          rule("(?i)(\\b[a-z][a-z0-9+.-]*:/[^?#\\s\"'<>]*)[?#][^\\s\"'<>)\\]}]+", "$1?" + LEFT_OUT),
          rule(
              "(?i)((?:pass(?:word|wd|phrase)|secret|token|credentials?|(?:api|access|private)[-_.]?key(?:[-_.]?id)?)"
                  + "[\"']?\\s*[=:\\s]\\s*)[\"']?[^\\s\"',;&)\\]}]+",
              "$1" + LEFT_OUT),
          rule("[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+", LEFT_OUT + "@" + LEFT_OUT),
          rule("(?i)\\b[a-z]:[\\\\/]+users[\\\\/]+[^\\\\/\\s\"'<>:;,)\\]}]+", HOME),
          rule("/(?:home|Users)/[^/\\\\\\s\"'<>:;,)\\]}]+", HOME));

  private final List<Rule> rules;

  private Redaction(List<Rule> rules) {
    this.rules = rules;
  }

  /** For the user and the machine of this process. */
  static Redaction here() {
    return of(
        System.getProperty("user.home", ""),
        System.getProperty("user.name", ""),
        HostNames.ofThisMachine());
  }

  static Redaction of(String home, String user, List<String> hosts) {
    List<Rule> rules = new ArrayList<>();
    if (home.length() > 1) {
      // Separators as they may be written: either slash, and backslashes doubled in source text.
      String anySlash =
          String.join(
              "[\\\\/]+",
              List.of(home.split("[\\\\/]+")).stream()
                  .map(part -> part.isEmpty() ? "" : Pattern.quote(part))
                  .toList());
      rules.add(rule("(?i)" + anySlash + "(?![\\w-])", HOME));
    }
    rules.addAll(EVERYWHERE);
    for (String host : hosts) {
      word(host, "host", rules);
    }
    word(user, "user", rules);
    return new Redaction(rules);
  }

  private static void word(String name, String replacement, List<Rule> rules) {
    if (name.length() > 1 && !COMMON.contains(name.toLowerCase(Locale.ROOT))) {
      rules.add(
          rule(
              "(?i)(?<![\\p{L}\\p{N}])" + Pattern.quote(name) + "(?![\\p{L}\\p{N}])", replacement));
    }
  }

  private static Rule rule(String pattern, String replacement) {
    return new Rule(Pattern.compile(pattern), replacement);
  }

  String of(String text) {
    String clean = text;
    for (Rule rule : rules) {
      Matcher matcher = rule.pattern.matcher(clean);
      clean = matcher.replaceAll(rule.replacement);
    }
    return clean;
  }

  Circumstances of(Circumstances circumstances) {
    return Records.withTexts(circumstances, this::of);
  }

  Trial of(Trial trial) {
    return Records.withTexts(trial, this::of);
  }

  Diagnosis of(Diagnosis diagnosis) {
    return Records.withTexts(diagnosis, this::of);
  }
}
