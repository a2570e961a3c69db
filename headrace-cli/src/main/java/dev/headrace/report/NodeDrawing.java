package dev.headrace.report;

import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.List;

/** One operator, or the training step, as a box of the drawing. */
final class NodeDrawing {
  private static final double PAD = 9;

  private final double width;
  private final double height;
  private final double inner;

  NodeDrawing(double width, double height) {
    this.width = width;
    this.height = height;
    this.inner = width - 2 * PAD;
  }

  Markup operator(OpView view, double x, double y, boolean isLimit) {
    OpProfile op = view.op();
    List<Markup> parts = new ArrayList<>();
    parts.add(word(op.word()));
    parts.add(text("line", 38, fit(view.name().isEmpty() ? view.line() : view.name(), 6.4)));
    parts.add(Bars.time(view, PAD, 47, inner, 9));
    parts.add(
        text("big", 74, Figures.percent(view.utilisation()) + (inner > 110 ? " of its time" : "")));
    parts.add(text("num", 91, Figures.rate(view.rate()) + "/s"));
    parts.add(text("num", 107, Figures.time(op.ns()) + (inner > 105 ? " each" : "")));
    parts.add(lastLine(view));
    return node(isLimit ? "node limit" : "node", view, x, y, isLimit, Markup.join(parts));
  }

  /** The buffer behind its workers, or how many elements it makes one of. */
  private Markup lastLine(OpView view) {
    OpProfile.Crew crew = view.op().crew();
    if (crew != null && crew.capacity() > 0) {
      double level = OpView.share(crew.fill() / crew.capacity());
      double tank = Math.min(34, inner * 0.3);
      return Markup.of(
          """
          <rect class="tank" x="{}" y="119" width="{}" height="15" rx="2"/>\
          <rect class="water" x="{}" y="{}" width="{}" height="{}"/>\
          <text class="num" x="{}" y="131">{}</text>\
          """,
          PAD,
          tank,
          PAD + 1,
          133 - 13 * level,
          tank - 2,
          13 * level,
          PAD + tank + 6,
          Figures.few(crew.fill()) + " of " + Figures.count(crew.capacity()));
    }
    boolean changesCount = Double.isFinite(view.intake()) && Math.abs(view.intake() - 1) > 0.02;
    return changesCount
        ? text(
            "line",
            131,
            view.intake() > 1
                ? Figures.few(view.intake()) + " in, 1 out"
                : "1 in, " + Figures.few(1 / view.intake()) + " out")
        : Markup.NONE;
  }

  Markup consumer(Profile.Consumer consumer, double x, double y, boolean isLimit) {
    ConsumerShare share = ConsumerShare.of(consumer);
    Markup body =
        Markup.join(
            List.of(
                word("training step"),
                text("line", 38, "the consumer"),
                Bars.consumer(share, PAD, 47, inner, 9),
                text(
                    "big", 74, Figures.percent(share.step()) + (inner > 110 ? " of its time" : "")),
                text("num", 91, Figures.time(consumer.stepNs()) + " step"),
                text(
                    "num",
                    107,
                    "+ " + Figures.time(consumer.insideNs()) + (inner > 110 ? " waiting" : ""))));
    return Markup.of(
        """
        <g class="{} tip" transform="translate({} {})"><title>{}</title>\
        <rect class="box" width="{}" height="{}" rx="18"/>{}{}</g>\
        """,
        isLimit ? "node limit consumer" : "node consumer",
        x,
        y,
        "the training loop\nstep "
            + Figures.time(consumer.stepNs())
            + "\nwaiting for the pipeline "
            + Figures.time(consumer.insideNs())
            + " a step",
        width,
        height,
        isLimit ? flag() : Markup.NONE,
        body);
  }

  private Markup node(String kind, OpView view, double x, double y, boolean isLimit, Markup body) {
    return Markup.of(
        """
        <g class="{} tip" transform="translate({} {})"><title>{}</title>\
        <rect class="box" width="{}" height="{}" rx="6"/>{}{}</g>\
        """,
        kind,
        x,
        y,
        Tips.of(view),
        width,
        height,
        isLimit ? flag() : Markup.NONE,
        body);
  }

  private Markup flag() {
    return Markup.of(
        """
        <path class="flag" d="M0 6V-18a6 6 0 0 1 6 -6H{}a6 6 0 0 1 6 6V6z"/>\
        <text class="flagtext" x="{}" y="-7">▼ THE LIMIT</text>\
        """,
        width - 6,
        width / 2);
  }

  private Markup word(String word) {
    return word.length() * 8.9 <= inner
        ? text("word", 22, word)
        : text("word tight", 22, fit(word, 7.6));
  }

  private static Markup text(String kind, double y, String text) {
    return Markup.of("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", kind, PAD, y, text);
  }

  private String fit(String text, double perCharacter) {
    return Figures.cut(text, (int) (inner / perCharacter));
  }
}
