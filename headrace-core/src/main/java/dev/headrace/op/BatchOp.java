package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Access;
import dev.headrace.spi.Assembler;
import dev.headrace.spi.BatchBudget;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Columns;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.Stacking;
import dev.headrace.spi.State;
import dev.headrace.spi.Tally;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups {@code size} consecutive elements into one.
 *
 * <p>A failed element costs that element, not its neighbours: it is delivered before the batch it
 * would have been part of, and the batch is made of the others.
 *
 * @param collator makes the batch; null for structures, whose tensors are stacked leaf by leaf
 */
public record BatchOp(
    Op input,
    int size,
    boolean dropRemainder,
    @Nullable Collator<Object, Object> collator,
    Site site)
    implements Op {

  /** About how many elements go into the batches of one chunk. */
  private static final int ELEMENTS_PER_CHUNK = 1024;

  public BatchOp {
    if (size < 1) {
      String word = collator instanceof Assembler<?, ?> assembler ? assembler.word() : "batch";
      throw new IllegalArgumentException(word + ": expected a size of at least 1, but got " + size);
    }
  }

  @Override
  public long cardinality() {
    long elements = input.cardinality();
    return elements < 0 ? elements : batchesOf(elements);
  }

  private long batchesOf(long elements) {
    return elements / size + (!dropRemainder && elements % size != 0 ? 1 : 0);
  }

  @Override
  public Traits traits() {
    return collator == null || Stacking.isStacking(collator)
        ? Traits.PLAIN.asKeepingPlace().with(Passing.GROUPED).with(Deferring.PLACES)
        : Traits.PLAIN.asKeepingPlace().with(Passing.GROUPED);
  }

  @Override
  public Access access() {
    Access all = input.access();
    return Access.over(
        List.of(all),
        () -> batchesOf(all.size()),
        index -> {
          Chunk gathered = new Chunk();
          long end = Math.min(all.size(), (index + 1) * size);
          for (long i = index * size; i < end; i++) {
            gathered.add(all.at(i), null, i);
          }
          return collate(gathered, BatchBudget.unlimited(word()));
        });
  }

  @Override
  public String word() {
    return collator instanceof Assembler<?, ?> assembler ? assembler.word() : "batch";
  }

  @Override
  public Cursor open(Context context) {
    return new BatchCursor(context, this);
  }

  /** Makes the batch of these elements. */
  private Object collate(Chunk gathered, BatchBudget budget) throws Exception {
    if (collator instanceof Assembler<Object, Object> assembler) {
      return assembler.assemble(gathered, budget);
    }
    if (collator != null) {
      List<Object> elements = new ArrayList<>(gathered.size());
      for (int i = 0; i < gathered.size(); i++) {
        elements.add(gathered.item(i));
      }
      Object batch = collator.collate(elements);
      if (batch == null) {
        throw new NullPointerException(
            "expected the collator to return a batch, but it returned null");
      }
      return batch;
    }
    if (gathered.inLongs()) {
      return Stacking.ofLongs(gathered, budget);
    }
    String otherwise =
        "use batch(%d, Collator.toList()) for a list, or a collator of your own".formatted(size);
    return Columns.of(gathered, "batch", otherwise).stacked(budget);
  }

  private static final class BatchCursor extends UnaryCursor {
    private final BatchOp op;
    private long inputDemand;

    /** Computes what elements hold deferred; null until one is seen. */
    private @Nullable Placing placing;

    /** The good elements of the batch being assembled. */
    private final Chunk gathered = new Chunk();

    /** A batch and the failures met while assembling it, which are delivered before it. */
    private final OpenGroup group = new OpenGroup();

    /*
     * Elements of one chunk are in hand anyway. From the second chunk on a batch holds memory, and
     * is charged with all of it: about, for small elements, as for when a chunk is full.
     */
    private final Holding holding;
    private final BatchBudget budget;
    private final Tally tally = new Tally();
    private boolean isCharged;

    /** What of it is for the arrays that elements lie in, which stay there for the next batch. */
    private long laneBytes;

    private boolean broken;

    BatchCursor(Context context, BatchOp op) {
      long demand = context.demand();
      long most = demand > Long.MAX_VALUE / op.size ? Long.MAX_VALUE : demand * op.size;
      super(context, context.open(op.input, most));
      this.op = op;
      this.holding = new Holding(context.heap());
      this.budget = new BatchBudget(context.slabs(), holding, context.path());
      this.inputDemand = most;
    }

    @Override
    protected void produce(Chunk out, int max) {
      int most = Math.min(max, Math.max(1, ELEMENTS_PER_CHUNK / op.size));
      while (out.isOpen(most) && !broken) {
        if (group.hasMore()) {
          group.give(out, 1);
          continue;
        }
        if (gathered.size() == op.size) {
          giveBatch(out);
        } else if (!gather(out)) {
          boolean remainder = !gathered.isEmpty() && !op.dropRemainder;
          if (remainder) {
            giveBatch(out);
          }
          endGroup();
          if (placing != null) {
            placing.close();
          }
          return;
        }
      }
    }

    /** Pulls more elements for the batch; false at the end. */
    private boolean gather(Chunk out) {
      if (!group.hasBegun()) {
        group.begin(source.save());
      }
      Chunk pulled = gathered.isEmpty() ? gathered : scratch();
      source.fill(pulled, Math.min(op.size - gathered.size(), ELEMENTS_PER_CHUNK));
      if (pulled.isEmpty()) {
        return false;
      }
      if (inputDemand != Long.MAX_VALUE) {
        inputDemand -= pulled.size() - pulled.failures();
      }
      if (placing == null && op.traits().deferring() == Deferring.PLACES) {
        if (Deferral.isSeenIn(pulled)) {
          beginPlacing(pulled);
        }
      }
      if (placing != null) {
        long begun = meter().beginLater();
        placing.finish(pulled);
        meter().endLater(begun);
      }
      if (pulled.failures() > 0) {
        setFailuresAside(pulled);
      }
      if (pulled != gathered && !hold(pulled)) {
        out.add(tooLarge(), context.prefix(), 0);
        broken = true;
      }
      return true;
    }

    /** Adds what was pulled to the batch; false where it does not fit. */
    private boolean hold(Chunk pulled) {
      if (!isCharged) {
        holding.letGo(laneBytes); // chunks swap their arrays
        laneBytes = 0;
        long lanes = gathered.laneBytes();
        if (!holding.takeOrPass(weighed(gathered) + lanes)) {
          return false;
        }
        isCharged = true;
        laneBytes = lanes;
      }
      long grown = gathered.laneBytesWith(pulled, pulled.size());
      long more = grown == laneBytes ? 0 : grown; // both are there while one is copied
      if (!holding.takeOrPass(weighed(pulled) + more)) {
        return false;
      }
      gathered.append(pulled, 0, pulled.size());
      if (more > 0) {
        holding.letGo(laneBytes);
        laneBytes = grown;
      }
      return true;
    }

    private long weighed(Chunk chunk) {
      tally.reset();
      return tally.upTo(chunk, chunk.size());
    }

    private Failure tooLarge() {
      long all = op.input.cardinality();
      long rows = all < 0 ? op.size : Math.min(op.size, all);
      double each = (double) holding.bytes() / gathered.size();
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("%s: expected a batch of %s to fit the memory budget, but after %s"
                      + " of about %s %s; they need about %,d MB: make batches"
                      + " smaller, or raise %s")
                  .formatted(
                      op.word(),
                      Plural.of(rows, "element"),
                      Plural.of(gathered.size(), "element"),
                      Plural.of((long) each, "byte"),
                      holding.isFull(),
                      (long) (each * rows / (1 << 20)),
                      holding.option())),
          true);
    }

    private void beginPlacing(Chunk pulled) {
      int row = pulled == gathered ? 0 : gathered.size();
      List<Op> makers = Deferral.makersOf(op.input);
      String path = makers.size() == 1 ? context.pathOfInput(makers.getFirst()) : context.path();
      Placing begun =
          new Placing(
              context,
              op.size,
              op.input.cardinality(),
              Stacking.isStacking(op.collator),
              row,
              path);
      placing = begun;
      begun.seat(pulled);
      source =
          context.prepare(
              source,
              begun::seat,
              begun::work,
              Deferral.parallelismOf(op.input),
              Math.max(0, inputDemand));
    }

    private void setFailuresAside(Chunk pulled) {
      Chunk failures = group.refill();
      int kept = 0;
      int size = pulled.size();
      for (int i = 0; i < size; i++) {
        if (pulled.isFailure(i)) {
          failures.append(pulled, i);
        } else {
          pulled.move(i, kept++);
        }
      }
      pulled.truncate(kept);
    }

    private void giveBatch(Chunk out) {
      Object batch;
      try {
        batch = assembled();
      } catch (Throwable e) {
        batch = context.failure(gathered.id(0), e);
      }
      out.add(batch, gathered.parentOf(0), gathered.ordinalOf(0));
      endGroup();
    }

    private Object assembled() throws Exception {
      Placing places = placing;
      if (places == null) {
        return collated(0);
      }
      Object last = gathered.item(gathered.size() - 1);
      try {
        Object batch = places.take(gathered);
        return batch != null ? batch : collated(0);
      } finally {
        places.giveBackBefore(last);
      }
    }

    private Object collated(int times) throws Exception {
      try {
        return op.collate(gathered, budget);
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return collated(times + 1);
        }
        throw e;
      }
    }

    private void endGroup() {
      gathered.clear();
      holding.letGo(holding.bytes() - laneBytes);
      isCharged = false;
      group.end();
    }

    @Override
    public boolean isReady() {
      return group.hasMore() || gathered.size() == op.size || broken || source.isReady();
    }

    @Override
    protected State position() {
      return group.hasBegun() ? group.positionFromInput() : State.of("input", source.save());
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state.state("input"));
    }

    @Override
    public void close() {
      holding.close();
      source.close();
      if (placing != null) {
        placing.close();
      }
    }
  }
}
