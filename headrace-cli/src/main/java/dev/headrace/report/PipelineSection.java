package dev.headrace.report;

import dev.headrace.profile.Diagnosis;
import java.util.List;

/** The drawing of the pipeline with its legend. */
final class PipelineSection {
  private PipelineSection() {}

  static Markup of(Diagnosis diagnosis, List<OpView> views) {
    GraphLayout layout = GraphLayout.of(diagnosis.profile().operators());
    boolean fits = PipelineGraph.fits(layout);
    Markup wide =
        fits
            ? PipelineGraph.of(diagnosis, views, layout)
            : UprightGraph.of(diagnosis, views, layout, 760);
    return Markup.of(
        """
        <section>
        <h2>The pipeline</h2>
        <div class="wide{}">{}</div>
        <div class="narrow">{}</div>
        {}
        </section>
        """,
        fits ? "" : " tall",
        wide,
        UprightGraph.of(diagnosis, views, layout, 344),
        legend());
  }

  private static Markup legend() {
    return Markup.of(
        """
        <ul class="legend">
        <li>{} computing</li>
        <li>{} waiting for a disk, a lock, a sleep</li>
        <li>{} ready, but no core was free</li>
        <li>{} the training step</li>
        <li>{} the training loop waits</li>
        <li>{} elements in a buffer</li>
        <li><span class="gear">⚙</span> these operators share threads</li>
        </ul>
        """,
        swatch("compute"),
        swatch("await"),
        swatch("starve"),
        swatch("step"),
        swatch("idle"),
        swatch("water"));
  }

  static Markup swatch(String kind) {
    return Markup.of(
        "<svg class=\"swatch\" viewBox=\"0 0 18 11\" aria-hidden=\"true\">{}</svg>",
        Bars.rect(kind, 0, 0, 18, 11));
  }
}
