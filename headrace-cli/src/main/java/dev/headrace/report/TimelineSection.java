package dev.headrace.report;

import dev.headrace.profile.Profile;
import java.util.List;
import java.util.function.Function;

/** The run over time: waits, activity, memory, the latest steps. */
final class TimelineSection {
  private TimelineSection() {}

  static Markup of(Profile profile, List<OpView> views) {
    double end = Timeline.of(profile, 1000).end();
    if (end <= 0) {
      return Markup.of(
          """
          <section>
          <h2>Over time</h2>
          <p class="note">The run was too short for a timeline.</p>
          {}
          </section>
          """,
          steps(profile.consumer()));
    }
    int others = ActivityChart.leftOut(views);
    return Markup.of(
        """
        <section>
        <h2>Over time</h2>
        <p class="note">Filled: threads inside an operator. Line: how full its buffer is.{}</p>
        {}
        <h3>Memory that the pipeline holds</h3>
        {}
        {}
        </section>
        """,
        others == 0
            ? ""
            : " "
                + others
                + (others == 1 ? " less busy operator is" : " less busy operators are")
                + " in the table below.",
        both(end, frame -> ActivityChart.of(profile, views, frame)),
        both(end, frame -> MemoryChart.of(profile, frame)),
        steps(profile.consumer()));
  }

  private static Markup steps(Profile.Consumer consumer) {
    if (StepsChart.isEmpty(consumer)) {
      return Markup.NONE;
    }
    return Markup.of(
        """
        <h3>The latest steps, one after another</h3>
        <p class="note">{} the step, {} waiting for its data; ▲ goes beyond the chart</p>
        {}
        """,
        PipelineSection.swatch("step"),
        PipelineSection.swatch("idle"),
        both(1, frame -> StepsChart.of(consumer, frame)));
  }

  private static Markup both(double end, Function<ChartFrame, Markup> chart) {
    return Markup.of(
        "<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>",
        chart.apply(ChartFrame.wide(end)),
        chart.apply(ChartFrame.narrow(end)));
  }
}
