package dev.headrace.report;

import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What the training loop waited, what it got, and what each operator did, over the run. */
final class ActivityChart {
  private static final int MOST_OPERATORS = 12;

  private ActivityChart() {}

  static Markup of(Profile profile, List<OpView> views, ChartFrame frame) {
    Timeline timeline = Timeline.of(profile, frame.isNarrow() ? 110 : 290);
    List<Markup> rows = new ArrayList<>();
    double top = 20;
    double y = top + frame.headroom();
    Strip waits = new Strip(frame, timeline, y, 44);
    rows.add(waits.ground());
    rows.add(waits.area("idle", Timeline.Piece::waitShare, 1));
    rows.add(waits.label("training loop waits", "100 %", "the share of its time it waited"));
    y += 44 + 10 + frame.headroom();

    double fastest = timeline.usualHighest(Timeline.Piece::rate);
    Strip rate = new Strip(frame, timeline, y, 36);
    rows.add(rate.ground());
    rows.add(rate.area("delivered", Timeline.Piece::rate, fastest * 1.05));
    rows.add(
        rate.label("delivered", Figures.rate(fastest) + "/s", "elements that it got, a second"));
    y += 36 + 16 + frame.headroom();

    for (OpView view : active(timeline, views)) {
      Strip strip = new Strip(frame, timeline, y, 24);
      rows.add(row(strip, view));
      y += 24 + 5 + frame.headroom();
    }
    rows.addFirst(frame.axis(top, y));
    rows.add(frame.epochs(timeline, top, y));
    return frame.svg(
        y + 24, "Waits of the training loop and activity of operators", Markup.join(rows));
  }

  private static Markup row(Strip strip, OpView view) {
    int index = view.index();
    double most = strip.timeline().usualHighest(piece -> piece.busy()[index]);
    OpProfile.Crew crew = view.op().crew();
    double scale = Math.max(crew == null ? 1 : crew.workers(), most);
    List<Markup> parts = new ArrayList<>();
    parts.add(strip.ground());
    parts.add(strip.area("busy", piece -> piece.busy()[index], scale));
    if (crew != null && crew.capacity() > 0) {
      double capacity =
          Math.max(crew.capacity(), strip.timeline().usualHighest(piece -> piece.fill()[index]));
      parts.add(strip.line("level", piece -> piece.fill()[index], capacity));
    }
    String threads = Figures.few(Math.max(1, Math.rint(scale)));
    parts.add(
        strip.label(
            view.op().word()
                + (view.name().isEmpty()
                    ? view.line().isEmpty() ? "" : " " + view.line()
                    : " " + view.name()),
            threads.equals("1") ? "1 thread" : threads + " threads",
            Tips.of(view)));
    return Markup.join(parts);
  }

  /** The busiest, in the order of the plan from the sources on. */
  private static List<OpView> active(Timeline timeline, List<OpView> views) {
    return views.stream()
        .sorted(
            Comparator.comparingDouble(view -> -timeline.mean(piece -> piece.busy()[view.index()])))
        .limit(MOST_OPERATORS)
        .sorted(Comparator.comparingInt(view -> -view.index()))
        .toList();
  }

  /** How many operators the chart leaves out. */
  static int leftOut(List<OpView> views) {
    return Math.max(0, views.size() - MOST_OPERATORS);
  }
}
