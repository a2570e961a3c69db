package dev.headrace.report;

import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Profile;
import dev.headrace.profile.Trial;
import java.util.ArrayList;
import java.util.List;

/** What could be changed, with predicted gains as bars and measured ones beside them. */
final class AdviceSection {
  private static final double WIDTH = 300;

  private AdviceSection() {}

  static Markup of(Diagnosis diagnosis, List<Trial> trials) {
    List<Advice> advice = diagnosis.advice();
    if (advice.isEmpty()) {
      return Markup.NONE; // the headline says so
    }
    double most = 1.5;
    for (Advice each : advice) {
      most = Math.max(most, OpView.orZero(each.speedup()));
    }
    for (Trial trial : trials) {
      most = Math.max(most, OpView.orZero(trial.measured()));
    }
    List<Markup> rows = new ArrayList<>();
    for (Advice each : advice) {
      rows.add(row(each, measured(each, diagnosis, trials), most));
    }
    return Markup.of(
        """
        <section>
        <h2>What to change</h2>
        <p class="note">How many times as fast the whole would be, by a model of this run. The line is today.</p>
        <ol class="advice">
        {}
        </ol>
        </section>
        """,
        Markup.join(rows));
  }

  /** What a change gained that was made to this very run, not on top of another change. */
  private static double measured(Advice advice, Diagnosis diagnosis, List<Trial> trials) {
    for (Trial trial : trials) {
      Profile before = trial.before().profile();
      if (before.delivered() == diagnosis.profile().delivered()
          && before.seconds() == diagnosis.profile().seconds()
          && trial.advice().action() == advice.action()
          && trial.advice().key().equals(advice.key())) {
        return trial.measured();
      }
    }
    return Double.NaN;
  }

  private static Markup row(Advice advice, double measured, double most) {
    return Markup.of(
        """
        <li><div class="card">
        <div class="text"><p class="title">{}</p>
        <p class="where"><bdi>{}</bdi></p>
        {}
        {}
        </div>
        <div class="effect">{}
        <p>{}</p>
        {}{}</div>
        </div></li>
        """,
        Figures.capital(advice.title()),
        advice.where(),
        code(advice.code()),
        Headline.lines("why", advice.why()),
        bars(advice.speedup(), measured, most),
        Figures.rate(advice.rate()) + " elements/s" + memory(advice.bytes()),
        advice.next().isEmpty()
            ? Markup.NONE
            : Markup.of("<p class=\"next\">then {}</p>", advice.next()),
        advice.isApplicable()
            ? Markup.of("<p class=\"soft\">can be tried by <code>headrace doctor</code></p>")
            : Markup.NONE);
  }

  private static String memory(long bytes) {
    if (bytes == 0) {
      return "";
    }
    return ", "
        + (bytes > 0 ? "takes " : "gives back ")
        + Figures.bytes(Math.abs((double) bytes))
        + " of memory";
  }

  /** Bars from nothing to the factor; the line at 1 is how it is now. */
  static Markup bars(double predicted, double measured, double most) {
    boolean hasMeasured = Double.isFinite(measured);
    Scale scale = new Scale(0, most, 0, WIDTH - 136);
    double height = hasMeasured ? 50 : 26;
    return Markup.of(
        """
        <svg class="gainbar" viewBox="0 0 {} {}" role="img" aria-label="{}">
        {}{}<path class="today" d="M{} 0V{}"/>
        </svg>
        """,
        WIDTH,
        height,
        "predicted "
            + Figures.times(predicted)
            + (hasMeasured ? ", measured " + Figures.times(measured) : ""),
        bar("predicted", predicted, scale, 3),
        hasMeasured ? bar("measured", measured, scale, 27) : Markup.NONE,
        scale.at(1),
        height);
  }

  private static Markup bar(String kind, double factor, Scale scale, double y) {
    double length = scale.at(OpView.orZero(factor));
    return Markup.of(
        "{}<text class=\"factor\" x=\"{}\" y=\"{}\">{} <tspan class=\"soft\">{}</tspan></text>",
        Bars.rect(kind, 0, y, length, 20),
        length + 6,
        y + 15,
        Figures.times(factor),
        kind);
  }

  static Markup code(String code) {
    return code.isEmpty() ? Markup.NONE : Markup.of("<pre class=\"code\">{}</pre>", code);
  }
}
