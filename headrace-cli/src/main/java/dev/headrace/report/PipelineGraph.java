package dev.headrace.report;

import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.OpProfile;
import java.util.ArrayList;
import java.util.List;

/**
 * The pipeline as a drawing: data flows from the sources on the left to the training step on the
 * right. Operators on the same threads lie on one band.
 */
final class PipelineGraph {
  /** With more columns a node would be too narrow to read: then the drawing stands upright. */
  static final int MOST_COLUMNS = 9;

  private static final double WIDTH = 1160;
  private static final double HEIGHT = 146;
  private static final double GAP = 20;
  private static final double PITCH = HEIGHT + 70;
  private static final double TOP = 34;
  private static final double BAND = 8;

  private final Diagnosis diagnosis;
  private final List<OpView> views;
  private final GraphLayout layout;
  private final NodeDrawing nodes;
  private final double width;
  private final double left;

  private PipelineGraph(Diagnosis diagnosis, List<OpView> views, GraphLayout layout) {
    this.diagnosis = diagnosis;
    this.views = views;
    this.layout = layout;
    int columns = layout.columns() + 1;
    this.width = Math.min(178, (WIDTH - BAND * 2 - 4 + GAP) / columns - GAP);
    this.left = (WIDTH - columns * (width + GAP) + GAP) / 2;
    this.nodes = new NodeDrawing(width, HEIGHT);
  }

  static boolean fits(GraphLayout layout) {
    return layout.columns() + 1 <= MOST_COLUMNS;
  }

  static Markup of(Diagnosis diagnosis, List<OpView> views, GraphLayout layout) {
    return new PipelineGraph(diagnosis, views, layout).draw();
  }

  private Markup draw() {
    List<Markup> parts = new ArrayList<>();
    for (OpView view : views) {
      parts.add(band(view));
    }
    parts.add(bandOfConsumer());
    for (OpView view : views) {
      parts.add(edge(view));
    }
    for (OpView view : views) {
      boolean isLimit = view.index() == diagnosis.verdict().operator();
      parts.add(nodes.operator(view, x(view.index()), y(view.index()), isLimit));
    }
    parts.add(
        nodes.consumer(
            diagnosis.profile().consumer(),
            xOfConsumer(),
            TOP,
            ConsumerShare.isLimit(diagnosis.verdict())));
    double height = TOP + Math.max(1, layout.rows()) * PITCH - 70 + 34;
    return Markup.of(
        """
        <svg class="graph" viewBox="0 0 {} {}" role="img" aria-label="{}">
        {}
        </svg>
        """,
        WIDTH,
        height,
        "The pipeline from its sources to the training step: " + diagnosis.verdict().sentence(),
        Markup.join(parts));
  }

  /**
   * The ground under one operator, joined to that of its puller where the same threads run both.
   */
  private Markup band(OpView view) {
    double x = x(view.index());
    double y = y(view.index());
    String tint = tint(view.owner());
    int by = OpView.pulledBy(operators(), view.index());
    boolean isJoined = view.owner() == (by < 0 ? -1 : views.get(by).owner());
    double next = by < 0 ? xOfConsumer() : x(by);
    double nextY = by < 0 ? TOP : y(by);
    Markup joint =
        !isJoined
            ? Markup.NONE
            : nextY == y
                ? box(tint, x + width / 2, y - BAND, next - x, HEIGHT + 2 * BAND)
                : Markup.of(
                    """
                    <path class="joint {}" d="M{} {}H{}V{}H{}"/>\
                    """,
                    tint,
                    x + width,
                    y + HEIGHT / 2,
                    x + width + GAP / 2,
                    nextY + HEIGHT / 2,
                    next + 4);
    return Markup.of(
        "{}{}{}",
        joint,
        box(tint, x - BAND, y - BAND, width + 2 * BAND, HEIGHT + 2 * BAND),
        label(view, x, y));
  }

  /** Whose threads they are, under the part of the band that is in line with their owner. */
  private Markup label(OpView owner, double x, double y) {
    OpProfile.Crew crew = owner.op().crew();
    if (crew == null) {
      return Markup.NONE;
    }
    double start = x;
    for (OpView view : views) {
      if (view.owner() == owner.index() && y(view.index()) == y) {
        start = Math.min(start, x(view.index()));
      }
    }
    double room = x + width - start;
    String text =
        room < 200
            ? owner.crewText()
            : "%s of %s, %s busy"
                .formatted(owner.workersText(), owner.op().word(), Figures.percent(crew.busy()));
    return Markup.of(
        "<text class=\"lane\" x=\"{}\" y=\"{}\">{}</text>",
        start,
        y + HEIGHT + BAND + 14,
        Figures.cut("⚙ " + text, (int) (room / 6.6)));
  }

  private Markup bandOfConsumer() {
    return Markup.of(
        "{}<text class=\"lane\" text-anchor=\"end\" x=\"{}\" y=\"{}\">⚙ {}</text>",
        box(tint(-1), xOfConsumer() - BAND, TOP - BAND, width + 2 * BAND, HEIGHT + 2 * BAND),
        xOfConsumer() + width,
        TOP + HEIGHT + BAND + 14,
        "the loop's thread");
  }

  private static Markup box(String tint, double x, double y, double width, double height) {
    return Markup.of(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\"/>",
        tint,
        x,
        y,
        width,
        height);
  }

  private Markup edge(OpView view) {
    int by = OpView.pulledBy(operators(), view.index());
    double y = y(view.index()) + HEIGHT / 2;
    double nextY = (by < 0 ? TOP : y(by)) + HEIGHT / 2;
    double end = (by < 0 ? xOfConsumer() : x(by)) - 2;
    double start = x(view.index()) + width;
    Markup path =
        y == nextY
            ? Markup.of("M{} {}H{}", start, y, end)
            : Markup.of("M{} {}H{}V{}", start, y, start + GAP / 2, nextY);
    Markup head = Markup.of("M{} {}l-7 -4.5v9z", end, nextY);
    return Markup.of("<path class=\"flow\" d=\"{}\"/><path class=\"head\" d=\"{}\"/>", path, head);
  }

  /** Bands next to each other differ; which is which is said by the label. */
  private String tint(int owner) {
    if (owner < 0) {
      return "band0";
    }
    int number = 0;
    for (OpView view : views) {
      if (view.owner() == view.index()) {
        number++;
        if (view.index() == owner) {
          break;
        }
      }
    }
    return "band" + (1 + number % 2);
  }

  private double x(int index) {
    return left + (layout.columns() - 1 - layout.column()[index]) * (width + GAP);
  }

  private double xOfConsumer() {
    return left + layout.columns() * (width + GAP);
  }

  private double y(int index) {
    return TOP + layout.row()[index] * PITCH;
  }

  private List<OpProfile> operators() {
    return diagnosis.profile().operators();
  }
}
