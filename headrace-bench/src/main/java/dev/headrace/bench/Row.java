package dev.headrace.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One line of a report: what was measured of us, and of a peer in the same run.
 *
 * @param ours the median of our measurements, with its interval
 * @param peer the median of the peer's, where there is one
 * @param ratio the median of the pairwise ratios; above 1 where we are better
 * @param bar the limit, where there is one
 */
public record Row(
    String name,
    String unit,
    Interval ours,
    @Nullable Double peer,
    @Nullable String peerName,
    @Nullable Interval ratio,
    @Nullable Bar bar) {

  /** A row without a peer. */
  public static Row alone(String name, String unit, Interval ours, @Nullable Bar bar) {
    return new Row(name, unit, ours, null, null, null, bar);
  }

  /**
   * A row from measurements that were taken in pairs; less is better.
   *
   * @param leastOurs what a ratio takes for ours where it is less; differences of chains may come
   *     out as nothing, or below
   */
  public static Row ofPairs(
      String name,
      String unit,
      double[] ours,
      double[] peer,
      String peerName,
      @Nullable Bar bar,
      double leastOurs) {
    double[] ratios = new double[ours.length];
    for (int i = 0; i < ours.length; i++) {
      ratios[i] = Math.max(peer[i], 0) / Math.max(ours[i], leastOurs);
    }
    return new Row(
        name,
        unit,
        Interval.of(ours),
        Interval.of(peer).median(),
        peerName,
        Interval.of(ratios),
        bar);
  }

  /** A row from measurements that were taken in pairs; more is better. */
  static Row ofRates(
      String name, String unit, double[] ours, double[] peer, String peerName, @Nullable Bar bar) {
    double[] ratios = new double[ours.length];
    for (int i = 0; i < ours.length; i++) {
      ratios[i] = ours[i] / peer[i];
    }
    return new Row(
        name,
        unit,
        Interval.of(ours),
        Interval.of(peer).median(),
        peerName,
        Interval.of(ratios),
        bar);
  }

  /** Whether the bar holds; null where there is no bar, or no peer to compare with. */
  public @Nullable Boolean holds() {
    Bar limit = bar;
    if (limit == null) {
      return null;
    }
    Interval limited = limit.onRatio() ? ratio : ours;
    return limited == null ? null : limit.holds(limited);
  }

  /** The row in a line, for who cannot wait for the table. */
  String line() {
    StringBuilder line = new StringBuilder(name);
    line.append(": %s %s (%s)".formatted(Report.number(ours.median()), unit, Report.span(ours)));
    if (ratio != null) {
      line.append(", %s (%s)".formatted(Report.number(ratio.median()), Report.span(ratio)));
      line.append(" of %s: %s".formatted(peerName, Report.number(peer)));
    }
    Boolean isKept = holds();
    return isKept == null ? line.toString() : line + (isKept ? ": pass" : ": FAIL");
  }

  /** The row as it stands in the JSON file. */
  Map<String, @Nullable Object> toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", name);
    json.put("unit", unit);
    json.put("ours", ours.median());
    json.put("oursLow", ours.low());
    json.put("oursHigh", ours.high());
    json.put("peer", peer);
    json.put("peerName", peerName);
    json.put("ratio", ratio == null ? null : ratio.median());
    json.put("low", ratio == null ? null : ratio.low());
    json.put("high", ratio == null ? null : ratio.high());
    json.put("bar", bar == null ? null : bar.toString());
    json.put("holds", holds());
    return json;
  }
}
