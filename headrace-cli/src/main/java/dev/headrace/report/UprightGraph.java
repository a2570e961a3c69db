package dev.headrace.report;

import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline upright, for narrow screens and for plans with many operators: the training step on
 * top, below each operator what it pulls from. A further input joins by a line at the left.
 */
final class UprightGraph {
  private static final double HEIGHT = 78;
  private static final double GAP = 18;
  private static final double TOP = 26;
  private static final double PAD = 10;
  private static final int MOST_LANES = 6;

  private final Diagnosis diagnosis;
  private final List<OpView> views;
  private final GraphLayout layout;
  private final double gutter;
  private final double width;
  private final double all;
  private final int[] place;

  private UprightGraph(Diagnosis diagnosis, List<OpView> views, GraphLayout layout, double all) {
    this.diagnosis = diagnosis;
    this.views = views;
    this.layout = layout;
    this.all = all;
    this.gutter = 12 + 10 * Math.min(MOST_LANES, Math.max(0, layout.rows() - 1));
    this.width = all - gutter - 4;
    this.place = new int[views.size()];
    for (int i = 0; i < layout.order().size(); i++) {
      place[layout.order().get(i)] = i + 1;
    }
  }

  static Markup of(Diagnosis diagnosis, List<OpView> views, GraphLayout layout, double width) {
    return new UprightGraph(diagnosis, views, layout, width).draw();
  }

  private Markup draw() {
    List<Markup> parts = new ArrayList<>();
    views.forEach(view -> parts.add(edge(view)));
    parts.add(consumer());
    views.forEach(view -> parts.add(node(view)));
    return Markup.of(
        """
        <svg class="graph upright" viewBox="0 0 {} {}" role="img" aria-label="{}">
        {}
        </svg>
        """,
        all,
        TOP + (views.size() + 1) * (HEIGHT + GAP),
        "The pipeline from the training step down to its sources",
        Markup.join(parts));
  }

  private double y(int index) {
    return TOP + (index < 0 ? 0 : place[index]) * (HEIGHT + GAP);
  }

  private Markup edge(OpView view) {
    int by = OpView.pulledBy(diagnosis.profile().operators(), view.index());
    double below = y(by) + HEIGHT;
    double y = y(view.index());
    boolean isNext = place[view.index()] == (by < 0 ? 0 : place[by]) + 1;
    if (isNext) {
      double x = gutter + 24;
      return Markup.of(
          "<path class=\"flow\" d=\"M{} {}V{}\"/><path class=\"head\" d=\"M{} {}l-4.5 7h9z\"/>",
          x,
          y,
          below + 4,
          x,
          below + 1);
    }
    double lane = gutter - 6 - 10 * (layout.row()[view.index()] % MOST_LANES);
    double target = below - 14;
    return Markup.of(
        "<path class=\"flow\" d=\"M{} {}H{}V{}H{}\"/><path class=\"head\" d=\"M{} {}l-7"
            + " -4.5v9z\"/>",
        gutter,
        y + 20,
        Math.max(3, lane),
        target,
        gutter - 5,
        gutter,
        target);
  }

  private Markup node(OpView view) {
    OpProfile op = view.op();
    boolean isLimit = view.index() == diagnosis.verdict().operator();
    String share = Figures.percent(view.utilisation()) + " of its time";
    String pace = Figures.rate(view.rate()) + "/s, " + Figures.time(op.ns()) + " each";
    String line = view.name().isEmpty() ? view.line() : view.name();
    return box(
        isLimit ? "node limit" : "node",
        y(view.index()),
        isLimit,
        Tips.of(view),
        Markup.join(
            List.of(
                line("word", 21, fit(op.word(), 9.4, share, 8.2)),
                right("big", 21, share),
                line("line", 38, fit(line, 6.8, pace, 7.2)),
                right("num", 38, pace),
                Bars.time(view, PAD, 46, width - 2 * PAD, 8),
                line("line", 70, threads(view)),
                buffer(op.crew()))));
  }

  private String threads(OpView view) {
    if (view.owner() == view.index()) {
      return "⚙ " + view.crewText();
    }
    return view.owner() < 0
        ? "on the loop's own thread"
        : "on the threads of " + Figures.cut(views.get(view.owner()).op().word(), 18);
  }

  private Markup buffer(OpProfile.@Nullable Crew crew) {
    if (crew == null || crew.capacity() == 0) {
      return Markup.NONE;
    }
    double level = OpView.share(crew.fill() / crew.capacity());
    double tank = 46;
    double x = width - PAD - tank;
    return Markup.of(
        "{}{}{}",
        Bars.rect("tank", x, 60, tank, 11),
        Bars.rect("water", x + 1, 61, (tank - 2) * level, 9),
        Markup.of(
            "<text class=\"num\" text-anchor=\"end\" x=\"{}\" y=\"70\">{}</text>",
            x - 6,
            "buffer " + Figures.few(crew.fill()) + " of " + Figures.count(crew.capacity())));
  }

  private Markup consumer() {
    Profile.Consumer consumer = diagnosis.profile().consumer();
    ConsumerShare share = ConsumerShare.of(consumer);
    boolean isLimit = ConsumerShare.isLimit(diagnosis.verdict());
    return box(
        isLimit ? "node limit consumer" : "node consumer",
        y(-1),
        isLimit,
        "the training loop",
        Markup.join(
            List.of(
                line("word", 21, "training step"),
                right("big", 21, Figures.percent(share.step()) + " of its time"),
                line("line", 38, "the consumer"),
                right("num", 38, Figures.time(consumer.stepNs()) + " each"),
                Bars.consumer(share, PAD, 46, width - 2 * PAD, 8),
                line("line", 70, "waits " + Figures.time(consumer.insideNs()) + " a step"))));
  }

  private Markup box(String kind, double y, boolean isLimit, String tip, Markup body) {
    return Markup.of(
        """
        <g class="{} tip" transform="translate({} {})"><title>{}</title>\
        <rect class="box" width="{}" height="{}" rx="6"/>{}{}</g>\
        """,
        kind,
        gutter,
        y,
        tip,
        width,
        HEIGHT,
        isLimit ? flag() : Markup.NONE,
        body);
  }

  private Markup flag() {
    return Markup.of(
        """
        <path class="flag" d="M{} 0V-9a5 5 0 0 1 5 -5H{}a5 5 0 0 1 5 5V0z"/>\
        <text class="flagtext" x="{}" y="-2.5">▼ THE LIMIT</text>\
        """,
        width - 118,
        width - 15,
        width - 64);
  }

  private static Markup line(String kind, double y, String text) {
    return Markup.of("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", kind, PAD, y, text);
  }

  private Markup right(String kind, double y, String text) {
    return Markup.of(
        "<text class=\"{}\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
        kind,
        width - PAD,
        y,
        text);
  }

  /** Cut to the room that another text leaves; widths are those of a wide font. */
  private String fit(String text, double perCharacter, String other, double perOther) {
    double room = width - 2 * PAD - 8 - other.length() * perOther;
    return Figures.cut(text, (int) (room / perCharacter));
  }
}
