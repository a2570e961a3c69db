package dev.headrace.report;

import dev.headrace.profile.KnobChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the engine has changed by itself while the pipeline ran, and what came of it. */
final class DecisionsSection {
  private static final int MOST = 40;

  private DecisionsSection() {}

  static Markup of(List<KnobChange> decisions) {
    if (decisions.isEmpty()) {
      return Markup.NONE;
    }
    List<Markup> rows = new ArrayList<>();
    for (KnobChange decision : decisions.subList(0, Math.min(MOST, decisions.size()))) {
      rows.add(row(decision));
    }
    String more = decisions.size() > MOST ? "and %,d more".formatted(decisions.size() - MOST) : "";
    return Markup.of(
        """
        <section>
        <h2>Changed by the engine itself</h2>
        <div class="scroll" tabindex="0"><table class="decisions">
        <thead><tr><th class="right">after</th><th>operator</th><th>what</th><th class="right">from</th>\
        <th class="right">to</th><th>why</th><th class="right">predicted</th><th class="right">measured</th></tr></thead>
        <tbody>
        {}
        </tbody></table></div>
        <p class="soft">{}</p>
        </section>
        """,
        Markup.join(rows),
        more);
  }

  private static Markup row(KnobChange decision) {
    return Markup.of(
        """
        <tr><td class="right">{}</td><td><bdi>{}</bdi></td><td>{}</td><td class="right">{}</td>\
        <td class="right">{}</td><td>{}</td><td class="right">{}</td><td class="right">{}</td></tr>\
        """,
        String.format(Locale.ROOT, "%.2f s", decision.atNs() / 1e9),
        decision.operator(),
        decision.knob(),
        decision.before(),
        decision.after(),
        decision.why(),
        times(decision.predicted()),
        times(decision.measured()) + (decision.isKept() ? "" : ", taken back"));
  }

  private static String times(double gain) {
    return gain <= 0 || !Double.isFinite(gain)
        ? Figures.NOTHING
        : String.format(Locale.ROOT, "× %.2f", gain);
  }
}
