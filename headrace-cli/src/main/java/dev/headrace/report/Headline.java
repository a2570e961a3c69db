package dev.headrace.report;

import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Verdict;
import java.util.List;
import java.util.Locale;

/** The answer first: what limits, how much it costs, what to change. */
final class Headline {
  /** Less than this is not worth a change. */
  private static final double LEAST_GAIN = 1.02;

  private Headline() {}

  static Markup of(Treatment treatment) {
    Diagnosis diagnosis = treatment.before();
    Verdict verdict = diagnosis.verdict();
    ConsumerShare share = ConsumerShare.of(diagnosis.profile().consumer());
    return Markup.of(
        """
        <section class="headline" aria-label="Verdict">
        <div class="verdict">
        <p class="kind {}"><svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>{}</p>
        <h1>{}</h1>
        {}
        </div>
        <div class="gauges">
        <div class="gauge"><p class="number">{}</p><p class="what">accelerator utilisation</p>
        <svg class="split" viewBox="0 0 240 14" role="img" aria-label="{}">{}</svg>
        <p class="note">the training loop waited <b>{}</b> of its time</p></div>
        <div class="gauge"><p class="number">{}<small>/s</small></p><p class="what">elements delivered</p>
        <p class="note">{} in {}</p></div>
        </div>
        {}
        </section>
        """,
        isGood(verdict.kind()) ? "good" : "bad",
        new Markup(isGood(verdict.kind()) ? "M2 8.5l4 4L14 4" : "M8 1l7 13H1zM8 6v4M8 11.8v.6"),
        kind(verdict.kind()),
        verdict.sentence(),
        lines("evidence", verdict.evidence()),
        Figures.percent(verdict.utilisation()),
        Figures.percent(share.step()) + " step, " + Figures.percent(share.waiting()) + " waiting",
        Bars.consumer(share, 0, 0, 240, 14),
        Figures.percent(verdict.waitShare()),
        Figures.rate(diagnosis.profile().rate()),
        Figures.count(diagnosis.profile().delivered()),
        Figures.seconds(diagnosis.profile().seconds()),
        treatment.trials().isEmpty() ? first(diagnosis.advice()) : made(treatment));
  }

  private static boolean isGood(Verdict.Kind kind) {
    return kind == Verdict.Kind.CONSUMER_BOUND || kind == Verdict.Kind.BALANCED;
  }

  /** "serial-bound: an operator runs one element after another". */
  static String kind(Verdict.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + ": " + kind.words();
  }

  static Markup lines(String kind, List<String> lines) {
    if (lines.isEmpty()) {
      return Markup.NONE;
    }
    return Markup.of(
        "<ul class=\"{}\">\n{}\n</ul>",
        kind,
        Markup.join(lines.stream().map(line -> Markup.of("<li>{}</li>", line)).toList()));
  }

  private static Markup first(List<Advice> advice) {
    if (advice.isEmpty() || advice.getFirst().speedup() < LEAST_GAIN) {
      return Markup.of(
          """
          <div class="first"><p class="what">What to change</p><div>\
          <p class="title">Nothing: no change to the pipeline would make it faster.</p>{}</div></div>\
          """,
          advice.isEmpty()
              ? Markup.NONE
              : Markup.of(
                  "<p class=\"note\">It would be as fast without something: {}.</p>",
                  advice.getFirst().title()));
    }
    Advice best = advice.getFirst();
    return Markup.of(
        """
        <div class="first"><p class="gain">{}</p><div>
        <p class="what">Change first</p>
        <p class="title">{}</p>
        {}
        <p class="note">{}{}</p>
        </div></div>
        """,
        Figures.times(best.speedup()),
        Figures.capital(best.title()),
        AdviceSection.code(best.code()),
        "predicted: " + Figures.rate(best.rate()) + "/s",
        best.next().isEmpty() ? "" : "; then " + best.next());
  }

  private static Markup made(Treatment treatment) {
    boolean isKept = !treatment.kept().isEmpty();
    return Markup.of(
        """
        <div class="first"><p class="gain">{}</p><div>
        <p class="what">Changed and measured again</p>
        <p class="title">{}: {}</p>
        <p class="note">{}</p>
        </div></div>
        """,
        Figures.times(treatment.gain()),
        Figures.capital(treatment.summary()),
        isKept
            ? "from %s to %s elements a second"
                .formatted(
                    Figures.rate(treatment.before().profile().rate()),
                    Figures.rate(treatment.after().profile().rate()))
            : "%s elements a second, as before"
                .formatted(Figures.rate(treatment.before().profile().rate())),
        (isKept ? "then: " : "still: ") + treatment.after().verdict().sentence());
  }
}
