package dev.headrace.report;

import dev.headrace.profile.Trial;
import java.util.ArrayList;
import java.util.List;

/** Changes that were made and measured, beside what was predicted of them. */
final class TrialsSection {
  private TrialsSection() {}

  static Markup of(List<Trial> trials) {
    if (trials.isEmpty()) {
      return Markup.NONE;
    }
    double most = 1.5;
    for (Trial trial : trials) {
      most =
          Math.max(
              most, Math.max(OpView.orZero(trial.measured()), OpView.orZero(trial.predicted())));
    }
    List<Markup> rows = new ArrayList<>();
    for (Trial trial : trials) {
      rows.add(row(rows.size() + 1, trial, most));
    }
    return Markup.of(
        """
        <section>
        <h2>Changed and measured again</h2>
        <div class="scroll" tabindex="0"><table class="trials">
        <thead><tr><th>#</th><th>change</th><th class="right">before</th><th class="right">after</th>\
        <th>times as fast</th><th class="right">prediction</th><th>what limits now</th></tr></thead>
        <tbody>
        {}
        </tbody></table></div>
        </section>
        """,
        Markup.join(rows));
  }

  private static Markup row(int number, Trial trial, double most) {
    return Markup.of(
        """
        <tr><td>{}</td><td><b>{}</b><br><bdi class="soft">{}</bdi></td><td class="right">{}</td>\
        <td class="right">{}</td><td>{}</td><td class="right">{}</td><td>{}</td></tr>\
        """,
        number,
        Figures.capital(trial.advice().title()),
        trial.advice().where(),
        Figures.rate(trial.before().profile().rate()) + "/s",
        Figures.rate(trial.after().profile().rate()) + "/s",
        AdviceSection.bars(trial.predicted(), trial.measured(), most),
        error(trial.error()),
        trial.helped()
            ? trial.after().verdict().sentence()
            : "It did not help, and was taken back.");
  }

  /** "6 % too high". */
  static String error(double error) {
    if (!Double.isFinite(error)) {
      return Figures.NOTHING;
    }
    if (Math.abs(error) < 0.005) {
      return "right";
    }
    return Figures.percent(Math.abs(error)) + (error > 0 ? " too high" : " too low");
  }
}
