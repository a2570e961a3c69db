package dev.headrace.bench;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one run, with what they were measured on.
 *
 * @param notes what a reader of the figures should know
 */
public record Report(
    String scenario,
    OffsetDateTime date,
    String machine,
    String jdk,
    List<String> notes,
    List<Row> rows) {

  /** A report of rows that were measured just now on this machine. */
  public static Report now(String scenario, double loadBefore, List<String> notes, List<Row> rows) {
    List<String> all = new ArrayList<>(notes);
    String noise = Machine.noiseNote(loadBefore);
    if (!noise.isEmpty()) {
      all.add(noise);
    }
    OffsetDateTime date = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
    return new Report(
        scenario, date, Machine.describe(), Machine.jdk(), List.copyOf(all), List.copyOf(rows));
  }

  /** Whether no bar is missed; rows that could not be compared do not count. */
  public boolean holds() {
    return rows.stream().noneMatch(row -> Boolean.FALSE.equals(row.holds()));
  }

  /** The report as JSON. */
  public String toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("scenario", scenario);
    json.put("date", date.toString());
    json.put("machine", machine);
    json.put("jdk", jdk);
    json.put("notes", notes);
    json.put("rows", rows.stream().map(Row::toJson).toList());
    return Json.writeIndented(json);
  }

  /** The report as a table, in which the two mark the word for what holds and what does not. */
  public String table(UnaryOperator<String> good, UnaryOperator<String> bad) {
    StringBuilder out = new StringBuilder();
    out.append("%s, %s%n%s; %s%n".formatted(scenario, date, machine, jdk));
    notes.forEach(note -> out.append("Note: ").append(note).append(System.lineSeparator()));
    out.append(System.lineSeparator());
    String format = "%-" + width(Row::name, 20) + "s %-14s %11s %22s %11s %9s %19s  %-15s %s%n";
    out.append(
        format.formatted(
            "row", "unit", "ours", "95 % interval", "peer", "ratio", "95 % interval", "bar", ""));
    String peer = "";
    for (Row row : rows) {
      String rowPeer = row.peerName() == null ? "" : row.peerName();
      if (!rowPeer.isEmpty() && !rowPeer.equals(peer)) {
        out.append("  peer: ").append(rowPeer).append(System.lineSeparator());
        peer = rowPeer;
      }
      out.append(
          format.formatted(
              row.name(),
              row.unit(),
              number(row.ours().median()),
              span(row.ours()),
              number(row.peer()),
              row.ratio() == null ? "" : number(row.ratio().median()),
              row.ratio() == null ? "" : span(row.ratio()),
              row.bar() == null ? "" : row.bar().toString(),
              verdict(row.holds(), row.bar() != null, good, bad)));
    }
    return out.toString();
  }

  private int width(Function<Row, String> column, int least) {
    return Math.max(
        least, rows.stream().mapToInt(row -> column.apply(row).length()).max().orElse(0));
  }

  private static String verdict(
      @Nullable Boolean holds,
      boolean hasBar,
      UnaryOperator<String> good,
      UnaryOperator<String> bad) {
    if (holds == null) {
      return hasBar ? "no peer" : "";
    }
    return holds ? good.apply("pass") : bad.apply("FAIL");
  }

  /** The ends of an interval. */
  static String span(Interval interval) {
    return number(interval.low()) + " – " + number(interval.high());
  }

  /** A number with about three digits that count. */
  static String number(@Nullable Double value) {
    if (value == null) {
      return "";
    }
    double size = Math.abs(value);
    if (size >= 100) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f", value);
  }
}
