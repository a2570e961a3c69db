package dev.headrace.report;

import java.util.ArrayList;
import java.util.List;

/** Where values lie on an axis. */
record Scale(double from, double to, double start, double end) {

  /** The place of a value; one beyond the axis is put at its end. */
  double at(double value) {
    double share = OpView.share((value - from) / (to - from));
    return start + share * (end - start);
  }

  /** Round values along the axis, both ends within it, at most so many steps. */
  List<Double> ticks(int most) {
    List<Double> ticks = new ArrayList<>();
    double step = step((to - from) / Math.max(1, most));
    if (step > 0) {
      for (double tick = Math.ceil(from / step) * step; tick <= to + step * 1e-6; tick += step) {
        ticks.add(tick);
      }
    }
    return ticks;
  }

  /** The next of 1, 2, 5, 10 … that is not smaller. */
  private static double step(double least) {
    if (!(least > 0) || !Double.isFinite(least)) {
      return 0;
    }
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= least * 0.999999) {
        return factor * power;
      }
    }
    return 10 * power;
  }
}
