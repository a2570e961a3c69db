package dev.headrace.report;

import dev.headrace.profile.Finding;
import java.util.List;

/** What else was noticed, of the run and of the plan. */
final class FindingsSection {
  private FindingsSection() {}

  static Markup of(List<Finding> findings) {
    if (findings.isEmpty()) {
      return Markup.NONE;
    }
    return Markup.of(
        """
        <section>
        <h2>Also noticed</h2>
        <ul class="findings">
        {}
        </ul>
        </section>
        """,
        Markup.join(findings.stream().map(FindingsSection::row).toList()));
  }

  private static Markup row(Finding finding) {
    return Markup.of(
        """
        <li class="{}"><p><span class="badge">{}</span> {}<span>{}</span> <span class="rule">{}</span></p>
        {}{}</li>
        """,
        css(finding.severity()),
        word(finding.severity()),
        finding.operator().isEmpty()
            ? Markup.NONE
            : Markup.of("<bdi class=\"operator\">{}</bdi>: ", finding.operator()),
        finding.message(),
        finding.rule(),
        Headline.lines("evidence", finding.evidence()),
        finding.advice().isEmpty()
            ? Markup.NONE
            : Markup.of("<p class=\"do\">→ {}</p>", finding.advice()));
  }

  private static String css(Finding.Severity severity) {
    return switch (severity) {
      case PROBLEM -> "problem";
      case HINT -> "hint";
      case NOTE -> "remark";
    };
  }

  private static String word(Finding.Severity severity) {
    return switch (severity) {
      case PROBLEM -> "▲ problem";
      case HINT -> "◆ hint";
      case NOTE -> "● note";
    };
  }
}
