package dev.headrace.report;

import java.util.function.ToDoubleFunction;

/**
 * One row of a chart over time: a label at the left, a curve, and the scale at the right. In a
 * narrow chart the texts stand above the curve.
 *
 * @param y where the row begins, and {@code height} of its curve
 */
record Strip(ChartFrame frame, Timeline timeline, double y, double height) {

  Markup label(String label, String scale, String tip) {
    double base = frame.isNarrow() ? y - 6 : y + height / 2 + 4;
    double left = frame.isNarrow() ? frame.left() : frame.left() - 10;
    double right = frame.isNarrow() ? frame.right() : frame.right() + 8;
    return Markup.of(
        """
        <g class="tip"><title>{}</title>\
        <text class="axis name" text-anchor="{}" x="{}" y="{}">{}</text></g>\
        <text class="axis" text-anchor="{}" x="{}" y="{}">{}</text>\
        """,
        tip,
        frame.isNarrow() ? "start" : "end",
        left,
        base,
        Figures.cut(label, frame.isNarrow() ? 30 : 27),
        frame.isNarrow() ? "end" : "start",
        right,
        base,
        scale);
  }

  /** A filled curve in steps. */
  Markup area(String kind, ToDoubleFunction<Timeline.Piece> value, double top) {
    Scale vertical = new Scale(0, top, y + height, y);
    StringBuilder path = new StringBuilder();
    double right = frame.left();
    for (Timeline.Piece piece : timeline.pieces()) {
      double from = frame.time().at(piece.from());
      right = frame.time().at(piece.to());
      path.append(path.isEmpty() ? "M" + c(from) + " " + c(y + height) : "H" + c(from));
      path.append('V').append(c(vertical.at(value.applyAsDouble(piece))));
      path.append('H').append(c(right));
    }
    if (path.isEmpty()) {
      return Markup.NONE;
    }
    path.append('V').append(c(y + height)).append('Z');
    return Markup.of("<path class=\"{}\" d=\"{}\"/>", kind, path);
  }

  /** A line in steps. */
  Markup line(String kind, ToDoubleFunction<Timeline.Piece> value, double top) {
    Scale vertical = new Scale(0, top, y + height, y);
    StringBuilder path = new StringBuilder();
    for (Timeline.Piece piece : timeline.pieces()) {
      String height = c(vertical.at(value.applyAsDouble(piece)));
      path.append(path.isEmpty() ? "M" + c(frame.time().at(piece.from())) + " " : "V")
          .append(height)
          .append('H')
          .append(c(frame.time().at(piece.to())));
    }
    return path.isEmpty() ? Markup.NONE : Markup.of("<path class=\"{}\" d=\"{}\"/>", kind, path);
  }

  /** The ground of the row. */
  Markup ground() {
    return Bars.rect("ground", frame.left(), y, frame.right() - frame.left(), height);
  }

  /** A dashed line across, such as a limit. */
  Markup limit(double value, double top) {
    double place = new Scale(0, top, y + height, y).at(value);
    return Markup.of(
        "<path class=\"dashed\" d=\"M{} {}H{}\"/>", frame.left(), place, frame.right());
  }

  private static String c(double value) {
    return Markup.coordinate(value);
  }
}
