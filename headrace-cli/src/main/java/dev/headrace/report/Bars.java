package dev.headrace.report;

import java.util.ArrayList;
import java.util.List;

/** Bars of shares. Colour is never alone: each kind has its own pattern. */
final class Bars {
  private Bars() {}

  /** How much of the time an operator is active, and with what. */
  static Markup time(OpView view, double x, double y, double width, double height) {
    double active = width * view.utilisation();
    return bar(
        x,
        y,
        width,
        height,
        List.of(
            new Part("compute", active * view.computing()),
            new Part("await", active * view.waiting()),
            new Part("starve", active * view.starved())));
  }

  /** The time for one delivered element, on a common scale. */
  static Markup cost(OpView view, double width, double height, double scale) {
    double length = width * OpView.share(view.op().nsPerDelivered() / scale);
    return bar(
        0,
        0,
        width,
        height,
        List.of(
            new Part("compute", length * view.computing()),
            new Part("await", length * view.waiting()),
            new Part("starve", length * view.starved())));
  }

  /** Step and waiting of the training loop. */
  static Markup consumer(ConsumerShare share, double x, double y, double width, double height) {
    return bar(
        x,
        y,
        width,
        height,
        List.of(new Part("step", width * share.step()), new Part("idle", width * share.waiting())));
  }

  private record Part(String kind, double length) {}

  private static Markup bar(double x, double y, double width, double height, List<Part> filled) {
    List<Markup> out = new ArrayList<>();
    out.add(rect("trough", x, y, width, height));
    double at = x;
    for (Part part : filled) {
      if (part.length > 0.05) {
        out.add(rect(part.kind, at, y, part.length, height));
        at += part.length;
      }
    }
    return Markup.of("{}", new Markup(String.join("", out.stream().map(Markup::text).toList())));
  }

  static Markup rect(String kind, double x, double y, double width, double height) {
    return Markup.of(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        kind,
        x,
        y,
        width,
        height);
  }
}
