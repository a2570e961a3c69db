package dev.headrace.report;

import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The latest steps of the training loop, each with what was waited before it. */
final class StepsChart {
  private static final double HEIGHT = 92;

  private StepsChart() {}

  static boolean isEmpty(Profile.Consumer consumer) {
    return Math.min(consumer.steps().length, consumer.waits().length) < 2;
  }

  static Markup of(Profile.Consumer consumer, ChartFrame frame) {
    int all = Math.min(consumer.steps().length, consumer.waits().length);
    int shown = Math.min(all, frame.isNarrow() ? 64 : 160);
    double[] steps = tail(consumer.steps(), shown);
    double[] waits = tail(consumer.waits(), shown);
    double[] sums = new double[shown];
    Arrays.setAll(sums, i -> steps[i] + waits[i]);
    double most = Timeline.usualHighest(sums);
    double top = 8 + frame.headroom();
    double floor = top + HEIGHT;
    Scale scale = new Scale(0, most > 0 ? most * 1.05 : 1, 0, HEIGHT);
    double slot = (frame.right() - frame.left()) / shown;
    double width = Math.min(18, slot * 0.78);
    List<Markup> parts = new ArrayList<>();
    for (double tick : new Scale(0, scale.to(), floor, top).ticks(3)) {
      double y = floor - scale.at(tick);
      parts.add(
          Markup.of("<path class=\"grid\" d=\"M{} {}H{}\"/>", frame.left(), y, frame.right()));
      parts.add(
          Markup.of(
              "<text class=\"axis\" text-anchor=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
              frame.isNarrow() ? "start" : "end",
              frame.isNarrow() ? frame.left() : frame.left() - 10,
              frame.isNarrow() ? y - 3 : y + 4,
              tick == 0 ? "0" : Figures.time(tick)));
    }
    for (int i = 0; i < shown; i++) {
      double x = frame.left() + i * slot + (slot - width) / 2;
      double step = scale.at(steps[i]);
      double wait = scale.at(sums[i]) - step;
      parts.add(
          Markup.of(
              "<g class=\"tip\"><title>{}</title>{}{}{}</g>",
              "waited " + Figures.time(waits[i]) + ", then a step of " + Figures.time(steps[i]),
              Bars.rect("step", x, floor - step, width, step),
              Bars.rect("idle", x, floor - step - wait, width, wait),
              sums[i] > scale.to() ? mark(x + width / 2, top) : Markup.NONE));
    }
    return frame.svg(floor + 6, "The latest steps and the waits before them", Markup.join(parts));
  }

  /** Says that a column is higher than the chart. */
  private static Markup mark(double x, double top) {
    return Markup.of("<path class=\"over\" d=\"M{} {}l-4 6h8z\"/>", x, top - 7);
  }

  private static double[] tail(double[] values, int count) {
    double[] tail = Arrays.copyOfRange(values, values.length - count, values.length);
    return Arrays.stream(tail).map(OpView::orZero).toArray();
  }
}
