package dev.headrace.report;

import java.util.ArrayList;
import java.util.List;

/** The space of a chart over time: its margins, its time axis and the marks of epochs. */
record ChartFrame(double width, double left, double right, boolean isNarrow, Scale time) {

  static ChartFrame wide(double end) {
    return of(1160, 190, 1060, false, end);
  }

  static ChartFrame narrow(double end) {
    return of(344, 4, 340, true, end);
  }

  private static ChartFrame of(
      double width, double left, double right, boolean isNarrow, double end) {
    return new ChartFrame(
        width, left, right, isNarrow, new Scale(0, end > 0 ? end : 1, left, right));
  }

  /** Rows of a narrow chart need space for their texts above them. */
  double headroom() {
    return isNarrow ? 22 : 0;
  }

  /** The seconds under a chart whose curves lie between two heights. */
  Markup axis(double from, double to) {
    List<Markup> parts = new ArrayList<>();
    for (double tick : time.ticks(isNarrow ? 4 : 10)) {
      double x = time.at(tick);
      parts.add(Markup.of("<path class=\"grid\" d=\"M{} {}V{}\"/>", x, from, to + 4));
      parts.add(
          Markup.of(
              "<text class=\"axis\" text-anchor=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
              tick == 0 ? "start" : x > right - 14 ? "end" : "middle",
              x,
              to + 17,
              label(tick)));
    }
    return Markup.join(parts);
  }

  private String label(double tick) {
    double step = time.to() / 10;
    return String.format(
        java.util.Locale.ROOT, step < 0.01 ? "%.3f s" : step < 0.5 ? "%.1f s" : "%.0f s", tick);
  }

  /** A line where each epoch begins, as long as they can be told apart. */
  Markup epochs(Timeline timeline, double from, double to) {
    List<Markup> marks = new ArrayList<>();
    long epoch = timeline.pieces().isEmpty() ? 0 : timeline.pieces().getFirst().epoch();
    for (Timeline.Piece piece : timeline.pieces()) {
      if (piece.epoch() != epoch) {
        epoch = piece.epoch();
        double x = time.at(piece.from());
        marks.add(
            Markup.of(
                """
                <path class="epoch" d="M{} {}V{}"/>\
                <text class="axis" x="{}" y="{}">{}</text>\
                """,
                x,
                from - 12,
                to,
                x + 3,
                from - 5,
                isNarrow ? "" + epoch : "epoch " + epoch));
      }
    }
    return marks.size() > (isNarrow ? 12 : 16) ? Markup.NONE : Markup.join(marks);
  }

  Markup svg(double height, String label, Markup body) {
    return Markup.of(
        "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}\n</svg>",
        width,
        height,
        label,
        body);
  }
}
