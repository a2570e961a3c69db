package dev.headrace.report;

import dev.headrace.profile.OpProfile;
import java.util.List;
import java.util.function.Function;

/** Every number of every operator, for experts. */
final class OperatorTable {
  private OperatorTable() {}

  /** One column: what it is called, what that means, and its text for an operator. */
  private record Column(String title, String meaning, Function<OpView, String> text) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("place", "in the plan: 0 is the last operator", view -> view.op().key()),
          new Column("runs on", "the threads of", OperatorTable::threads),
          new Column(
              "elements",
              "handed on, failures included",
              view -> Figures.count(view.op().elements())),
          new Column("failures", "among them", view -> Figures.count(view.op().failures())),
          new Column(
              "per delivered",
              "how many go into one element that the consumer gets",
              view -> Figures.decimal(view.op().perDelivered())),
          new Column("rate /s", "elements a second", view -> Figures.rate(view.rate())),
          new Column(
              "each",
              "wall time of one, this operator alone",
              view -> Figures.time(view.op().ns())),
          new Column("computing", "of it", view -> Figures.time(view.op().cpuNs())),
          new Column("waiting", "of it", view -> Figures.time(view.op().waitNs())),
          new Column("no core", "of it", view -> Figures.percent(view.starved())),
          new Column("threads", "inside it, on average", view -> Figures.decimal(view.threads())),
          new Column("bytes", "of one, on average", view -> bytes(view.op().bytes())),
          new Column("bytes p99", "of a large one", view -> bytes(view.op().bytesP99())),
          crew("workers", "on average", crew -> Figures.few(crew.workers())),
          crew("tuned", "whether the engine chooses", crew -> crew.isTuned() ? "yes" : "no"),
          crew("busy", "share of time a worker worked", crew -> Figures.percent(crew.busy())),
          crew("buffer", "elements it can hold", crew -> Figures.count(crew.capacity())),
          crew("tuned", "whether the engine chooses", crew -> crew.isBufferTuned() ? "yes" : "no"),
          crew("held", "on average", crew -> Figures.few(crew.fill())),
          crew("found empty", "by these pulls", crew -> Figures.percent(crew.empty())),
          crew(
              "pull",
              "of the input, one worker at a time, for one delivered element",
              crew -> Figures.time(crew.pullNs())),
          crew("pull CPU", "of it computing", crew -> Figures.time(crew.pullCpuNs())),
          crew(
              "work",
              "of all workers, for one delivered element",
              crew -> Figures.time(crew.workNs())),
          crew("work CPU", "of it computing", crew -> Figures.time(crew.workCpuNs())),
          crew("work waiting", "of it", crew -> Figures.time(crew.workWaitNs())),
          crew(
              "variation",
              "of the time of one: deviation over mean",
              crew -> Figures.decimal(crew.variation())),
          crew(
              "skew",
              "the slowest of several datasets over their mean",
              crew -> Figures.decimal(crew.skew())),
          new Column(
              "later",
              "computed after the function returned, for one delivered element",
              OperatorTable::later),
          transfer("device", "copied to", OpProfile.Transfer::device),
          transfer("pinned", "memory", transfer -> transfer.isPinned() ? "yes" : "no"),
          transfer(
              "bus", "time for one delivered element", transfer -> Figures.time(transfer.busNs())),
          transfer(
              "computing",
              "there, for one delivered element",
              transfer -> Figures.time(transfer.computeNs())),
          transfer(
              "overlap",
              "of copying and computing with the step",
              transfer -> Figures.percent(transfer.overlap())),
          transfer("staged", "on the asking thread", transfer -> Figures.time(transfer.stagedNs())),
          transfer("on device", "bytes", transfer -> Figures.bytes(transfer.deviceBytes())),
          transfer("of at most", "bytes", transfer -> Figures.bytes(transfer.deviceLimit())));

  static Markup of(List<OpView> views) {
    List<Column> columns = COLUMNS.stream().filter(column -> isUsed(column, views)).toList();
    return Markup.of(
        """
        <section>
        <details{}><summary><h2>All numbers</h2></summary>
        <div class="scroll" tabindex="0"><table class="numbers">
        <thead><tr><th scope="col">operator</th>{}</tr></thead>
        <tbody>
        {}
        </tbody></table></div>
        </details>
        </section>
        """,
        new Markup(views.size() <= 30 ? " open" : ""),
        Markup.join(columns.stream().map(OperatorTable::head).toList()),
        Markup.join(views.stream().map(view -> row(view, columns)).toList()));
  }

  private static boolean isUsed(Column column, List<OpView> views) {
    return views.stream().anyMatch(view -> !column.text.apply(view).isEmpty());
  }

  private static Markup head(Column column) {
    return Markup.of(
        "<th scope=\"col\" class=\"right\" title=\"{}\">{}</th>", column.meaning, column.title);
  }

  private static Markup row(OpView view, List<Column> columns) {
    return Markup.of(
        "<tr><th scope=\"row\" title=\"{}\"><bdi>{}</bdi></th>{}</tr>",
        view.op().description(),
        Figures.cut(view.op().path(), 60),
        Markup.join(
            columns.stream()
                .map(c -> Markup.of("<td class=\"right\">{}</td>", c.text.apply(view)))
                .toList()));
  }

  private static String threads(OpView view) {
    if (view.owner() == view.index()) {
      return "its own";
    }
    return view.owner() < 0 ? "the loop's" : "row " + (view.owner() + 1);
  }

  private static String later(OpView view) {
    OpProfile.Later later = view.op().later();
    return later == null ? "" : Figures.time(later.ns()) + " in row " + (later.at() + 1);
  }

  private static String bytes(double bytes) {
    return bytes == 0 ? "" : Figures.bytes(bytes);
  }

  private static Column crew(String title, String meaning, Function<OpProfile.Crew, String> text) {
    return new Column(
        title,
        meaning,
        view -> {
          OpProfile.Crew crew = view.op().crew();
          return crew == null ? "" : text.apply(crew);
        });
  }

  private static Column transfer(
      String title, String meaning, Function<OpProfile.Transfer, String> text) {
    return new Column(
        title,
        meaning,
        view -> {
          OpProfile.Transfer transfer = view.op().transfer();
          return transfer == null ? "" : text.apply(transfer);
        });
  }
}
