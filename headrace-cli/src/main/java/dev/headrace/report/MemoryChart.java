package dev.headrace.report;

import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Memory against its budgets, and the garbage collector, over the run. */
final class MemoryChart {
  private MemoryChart() {}

  static Markup of(Profile profile, ChartFrame frame) {
    Timeline timeline = Timeline.of(profile, frame.isNarrow() ? 110 : 290);
    Profile.Memory memory = profile.memory();
    List<Markup> rows = new ArrayList<>();
    double top = 20;
    double y = top + frame.headroom();
    y =
        memory(
            rows,
            new Strip(frame, timeline, y, 40),
            "heap",
            Timeline.Piece::heapBytes,
            memory.heapPeak(),
            memory.heapBudget());
    y =
        memory(
            rows,
            new Strip(frame, timeline, y, 40),
            "off the heap",
            Timeline.Piece::nativeBytes,
            memory.nativePeak(),
            memory.nativeBudget());
    Strip collector = new Strip(frame, timeline, y, 24);
    double most = timeline.highest(Timeline.Piece::gcShare);
    double scale = most > 0.25 ? 1 : most > 0.05 ? 0.25 : 0.05;
    rows.add(collector.ground());
    rows.add(collector.area("starved", Timeline.Piece::gcShare, scale));
    rows.add(
        collector.label(
            "garbage collector",
            Figures.percent(scale),
            "the share of time that everything stood still for it"));
    y += 24 + 5;
    rows.addFirst(frame.axis(top, y));
    return frame.svg(y + 24, "Memory against budgets", Markup.join(rows));
  }

  private static double memory(
      List<Markup> rows,
      Strip strip,
      String label,
      ToDoubleFunction<Timeline.Piece> value,
      long peak,
      long budget) {
    double highest = Math.max(strip.timeline().highest(value), peak);
    // A budget far above everything would press the curve to the floor: then it is only named.
    boolean showsBudget = budget > 0 && budget <= 8 * highest;
    double scale = Math.max(1, showsBudget ? Math.max(budget, highest) : highest) * 1.08;
    rows.add(strip.ground());
    rows.add(strip.area("water", value, scale));
    if (showsBudget) {
      rows.add(strip.limit(budget, scale));
    }
    rows.add(
        strip.label(
            label + ", peak " + Figures.bytes(peak),
            budget > 0 ? "of " + Figures.bytes(budget) : "",
            label + ": the dashed line is the budget, where it is near"));
    return strip.y() + 40 + 8 + strip.frame().headroom();
  }
}
