package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F64;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An accumulation by blocks of threads: each thread takes in every 256th term, then they take their
 * totals together, two by two. Where there are many terms several blocks share a result, and a
 * second launch takes their totals together. The order depends on the shapes alone, so that sums
 * are the same each time.
 */
final class ReduceJob extends Job {
  /** Up to so many terms one block works alone, which saves a launch. */
  private static final long ALONE = 1 << 14;

  /** So many terms a block takes in at least, where several share a result. */
  private static final long LEAST_SHARE = 1 << 13;

  /** More blocks than this are not needed to keep a device busy. */
  private static final long MOST_BLOCKS = 1 << 10;

  /** So many terms a thread takes in at once, so that as many reads are under way. */
  private static final int AT_ONCE = 4;

  private static final int NUMBER_BYTES = 8;

  /** Which part of the work it is. */
  enum Stage {
    WHOLE,
    /** Terms to totals of blocks. */
    FIRST,
    /** Totals of blocks to results. */
    SECOND
  }

  private final Accumulation accumulation;
  private final Stage stage;
  private final MemoryPlace to;

  /** How many blocks share a result. */
  private final long sharing;

  private ReduceJob(
      Accumulation accumulation, Stage stage, Node source, long sharing, MemoryPlace to) {
    super(
        "reduce " + stage.name().toLowerCase(Locale.ROOT) + " " + accumulation.name(),
        List.of(source));
    this.accumulation = accumulation;
    this.stage = stage;
    this.sharing = sharing;
    this.to = to;
  }

  /** How many blocks share a result: a number that depends on shapes alone. */
  private static long sharing(Accumulation accumulation) {
    if (accumulation.terms() <= ALONE) {
      return 1;
    }
    long shares = (accumulation.terms() + LEAST_SHARE - 1) / LEAST_SHARE;
    return Math.clamp(MOST_BLOCKS / accumulation.results(), 1, shares);
  }

  /**
   * The one or two jobs that an accumulation takes.
   *
   * @param to where results go
   * @param scratch takes memory for what lies between two launches
   */
  static List<ReduceJob> of(Accumulation accumulation, MemoryPlace to, Planner scratch) {
    long sharing = sharing(accumulation);
    Node source = accumulation.source();
    if (sharing == 1) {
      return List.of(new ReduceJob(accumulation, Stage.WHOLE, source, 1, to));
    }
    long numbers = accumulation.results() * accumulation.totals() * sharing;
    MemoryPlace between = scratch.scratch(numbers * NUMBER_BYTES);
    ReduceJob first = new ReduceJob(accumulation, Stage.FIRST, source, sharing, between);
    DType dtype = accumulation.isFloating() ? DType.FLOAT64 : DType.INT64;
    Node totals = new Leaf(dtype, Shape.of(numbers), between, first.level() + 1);
    return List.of(first, new ReduceJob(accumulation, Stage.SECOND, totals, sharing, to));
  }

  Accumulation accumulation() {
    return accumulation;
  }

  /** How many terms there are for each result, in this launch. */
  private long terms() {
    return stage == Stage.SECOND ? sharing : accumulation.terms();
  }

  /** How many blocks work on one result, in this launch. */
  private long blocksOfResult() {
    return stage == Stage.FIRST ? sharing : 1;
  }

  /** How many terms a block takes in. */
  private long share() {
    return (terms() + blocksOfResult() - 1) / blocksOfResult();
  }

  private long blocks() {
    return accumulation.results() * blocksOfResult();
  }

  @Override
  long blocks(int rows) {
    return blocks();
  }

  @Override
  String entry() {
    return "headrace_reduce";
  }

  @Override
  void generate(Code code) {
    Ptx ptx = code.ptx();
    PtxType type = code.indexType();
    Operand block = code.widened(ptx.special("%ctaid.x"));
    Operand thread = ptx.special("%tid.x");
    Operand blocks = code.row().index(this, "blocks", ReduceJob::blocks, type);
    ptx.exitIf(code.compare("ge", block, blocks));
    Operand ofResult = code.row().index(this, "ofResult", ReduceJob::blocksOfResult, type);
    Operand result = code.divide(block, ofResult);
    Operand part = code.subtract(block, code.multiply(result, ofResult));
    Operand share = code.row().index(this, "share", ReduceJob::share, type);
    Operand terms = code.row().index(this, "terms", ReduceJob::terms, type);
    Operand from = code.multiply(part, share);
    Operand to = code.min(code.add(from, share), terms);
    List<Ptx.Variable> totals = new ArrayList<>();
    for (int i = 0; i < accumulation.totals(); i++) {
      totals.add(ptx.variable(accumulation.start()));
    }
    ptx.loop(
        code.add(from, code.widened(thread)),
        to,
        code.index((long) THREADS * atOnce()),
        first -> takeIn(code, result, first, to, totals));
    List<Operand> together = together(code, thread, totals.stream().map(ptx::read).toList());
    ptx.exitIf(code.compare("ne", thread, Operand.of(0)));
    write(code, result, part, together);
  }

  private int atOnce() {
    return roots().getFirst().loops() ? 1 : AT_ONCE;
  }

  // Where there are not so many terms left, the first is computed again, and not taken in.
  private void takeIn(
      Code code, Operand result, Operand first, Operand to, List<Ptx.Variable> totals) {
    List<Operand> some = new ArrayList<>(totals.stream().map(code.ptx()::read).toList());
    for (int i = 0; i < atOnce(); i++) {
      Operand term = code.add(first, code.index((long) i * THREADS));
      Operand isOne = code.compareUnsigned("lt", term, to);
      List<Operand> next = terms(code, result, i == 0 ? first : code.select(isOne, term, first));
      for (int total = 0; total < some.size(); total++) {
        Operand before = some.get(total);
        Operand merged = accumulation.merge(code, before, next.get(total));
        some.set(total, i == 0 ? merged : code.select(isOne, merged, before));
      }
    }
    for (int total = 0; total < some.size(); total++) {
      code.ptx().assign(totals.get(total), some.get(total));
    }
  }

  private List<Operand> terms(Code code, Operand result, Operand term) {
    if (stage != Stage.SECOND) {
      return accumulation.terms(code, result, term);
    }
    Operand sharing = code.row().index(this, "sharing", job -> job.sharing, code.indexType());
    List<Operand> totals = new ArrayList<>();
    for (int i = 0; i < accumulation.totals(); i++) {
      Operand at = code.add(code.multiply(total(code, result, i), sharing), term);
      totals.add(roots().getFirst().value(code, Index.flat(at)).operand());
    }
    return totals;
  }

  /** The number of a total among those of all results. */
  private Operand total(Code code, Operand result, int total) {
    return code.add(code.multiply(result, code.index(accumulation.totals())), code.index(total));
  }

  /** The totals of all threads of the block; only the first thread has them. */
  private List<Operand> together(Code code, Operand thread, List<Operand> own) {
    Ptx ptx = code.ptx();
    int bytes = THREADS * NUMBER_BYTES;
    ptx.declare(".shared .align 8 .b8 totals[%d];".formatted(own.size() * bytes));
    Operand shared = ptx.op(B64, "mov.u64", new Operand(B64, "totals", 0));
    Operand mine = code.advance(shared, thread, NUMBER_BYTES);
    PtxType type = accumulation.isFloating() ? F64 : B64;
    List<Operand> totals = new ArrayList<>(own);
    for (int i = 0; i < totals.size(); i++) {
      ptx.store("st.shared." + type.word(), mine, (long) i * bytes, totals.get(i));
    }
    ptx.line("bar.sync 0;");
    for (int half = THREADS / 2; half > 0; half /= 2) {
      Operand isLower = code.compare("lt", thread, Operand.of(half));
      // The others read their own, and do nothing with it.
      Operand other =
          code.add(
              mine, code.select(isLower, Operand.of((long) half * NUMBER_BYTES), Operand.of(0L)));
      for (int i = 0; i < totals.size(); i++) {
        Operand theirs = ptx.loadNow(type, "ld.shared." + type.word(), other, (long) i * bytes);
        Operand both = accumulation.merge(code, totals.get(i), theirs);
        totals.set(i, code.select(isLower, both, totals.get(i)));
      }
      ptx.line("bar.sync 0;");
      for (int i = 0; i < totals.size() && half > 1; i++) {
        ptx.store("st.shared." + type.word(), mine, (long) i * bytes, totals.get(i));
      }
      if (half > 1) {
        ptx.line("bar.sync 0;");
      }
    }
    return totals;
  }

  private void write(Code code, Operand result, Operand part, List<Operand> totals) {
    Operand base = code.row().address(this, "to", job -> job.to);
    if (stage == Stage.FIRST) {
      PtxType type = accumulation.isFloating() ? F64 : B64;
      Operand sharing = code.row().index(this, "sharing", job -> job.sharing, code.indexType());
      for (int i = 0; i < totals.size(); i++) {
        Operand at = code.add(code.multiply(total(code, result, i), sharing), part);
        Operand address = code.advance(base, at, NUMBER_BYTES);
        code.ptx().store("st.global." + type.word(), address, 0, totals.get(i));
      }
      return;
    }
    List<Value> values = accumulation.finish(code, this, totals);
    int bytes = values.getFirst().dtype().byteSize();
    Operand first = code.multiply(result, code.index(values.size()));
    Operand address = code.advance(base, first, bytes);
    for (int i = 0; i < values.size(); i++) {
      Numbers.store(code, values.get(i), new Code.Location(address, (long) i * bytes));
    }
  }
}
