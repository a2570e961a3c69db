package dev.headrace.report;

import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The moments of a run as the charts need them: sane numbers, in order, and not more of them than
 * there are pixels.
 */
record Timeline(List<Piece> pieces, double end) {

  /**
   * A piece of the run.
   *
   * @param busy and {@code fill}: one number for each operator
   */
  record Piece(
      double from,
      double to,
      long epoch,
      double rate,
      double waitShare,
      double gcShare,
      double heapBytes,
      double nativeBytes,
      double[] busy,
      double[] fill) {}

  static Timeline of(Profile profile, int most) {
    int operators = profile.operators().size();
    List<Profile.Moment> moments =
        profile.timeline().stream()
            .filter(moment -> Double.isFinite(moment.at()) && moment.seconds() > 0)
            .toList();
    // A moment cut short, as at the end of an epoch, would show as a spike: it joins its
    // neighbours.
    double least = moments.isEmpty() ? 0 : moments.getLast().at() / most;
    List<Piece> pieces = new ArrayList<>();
    double at = 0;
    int from = 0;
    for (int i = 0; i < moments.size(); i++) {
      boolean isLast = i == moments.size() - 1;
      if (isLast || moments.get(i).at() - at >= least) {
        Piece piece = merged(moments.subList(from, i + 1), at, operators);
        from = i + 1;
        if (piece.to > piece.from) {
          pieces.add(piece);
          at = piece.to;
        }
      }
    }
    return new Timeline(pieces, at);
  }

  private static Piece merged(List<Profile.Moment> moments, double from, int operators) {
    double seconds = moments.stream().mapToDouble(Profile.Moment::seconds).sum();
    double start = Math.max(from, moments.getFirst().at() - moments.getFirst().seconds());
    Profile.Moment last = moments.getLast();
    return new Piece(
        start,
        last.at(),
        last.epoch(),
        moments.stream().mapToDouble(Profile.Moment::delivered).sum() / seconds,
        OpView.share(mean(moments, seconds, Profile.Moment::waitShare)),
        OpView.share(mean(moments, seconds, Profile.Moment::gcShare)),
        Math.max(0, last.heapBytes()),
        Math.max(0, last.nativeBytes()),
        IntStream.range(0, operators)
            .mapToDouble(i -> mean(moments, seconds, m -> i < m.busy().length ? m.busy()[i] : 0))
            .map(OpView::orZero)
            .toArray(),
        IntStream.range(0, operators)
            .mapToDouble(i -> mean(moments, seconds, m -> i < m.fill().length ? m.fill()[i] : 0))
            .map(OpView::orZero)
            .toArray());
  }

  private static double mean(
      List<Profile.Moment> moments, double seconds, ToDoubleFunction<Profile.Moment> value) {
    double sum = 0;
    for (Profile.Moment moment : moments) {
      sum += OpView.orZero(value.applyAsDouble(moment)) * moment.seconds();
    }
    return sum / seconds;
  }

  double highest(ToDoubleFunction<Piece> value) {
    return pieces.stream().mapToDouble(value).max().orElse(0);
  }

  /** The highest value but for rare spikes, which would press everything else to the floor. */
  double usualHighest(ToDoubleFunction<Piece> value) {
    return usualHighest(pieces.stream().mapToDouble(value).toArray());
  }

  static double usualHighest(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    if (sorted.length == 0) {
      return 0;
    }
    double usual = sorted[(int) (0.95 * (sorted.length - 1))];
    double highest = sorted[sorted.length - 1];
    return highest <= 2.5 * usual ? highest : usual > 0 ? 1.5 * usual : highest;
  }

  double mean(ToDoubleFunction<Piece> value) {
    double sum = 0;
    double seconds = 0;
    for (Piece piece : pieces) {
      sum += value.applyAsDouble(piece) * (piece.to - piece.from);
      seconds += piece.to - piece.from;
    }
    return seconds == 0 ? 0 : sum / seconds;
  }
}
