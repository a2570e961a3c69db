package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Reader;
import dev.headrace.spi.ShardMode;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.util.Objects;

/**
 * The share of one of {@code world} ranks: of every group of {@code world} elements, the one at
 * {@code rank}. All ranks get the same number of elements; {@code mode} says how the last group is
 * evened out.
 *
 * <p>Only good elements are counted, because a rank that lost one to a failure would be a batch
 * short, and the others would wait for it. So every rank makes every element of its input. A
 * failure is delivered by the rank whose element it would have been.
 */
public record ShardByRankOp(Op input, int rank, int world, ShardMode mode, Site site)
    implements Op {

  public ShardByRankOp {
    Objects.requireNonNull(mode, "shardByRank: expected DROP, PAD or REPEAT, but got null");
    if (world < 1) {
      throw new IllegalArgumentException(
          "shardByRank: expected a world of at least 1 rank, but got " + world);
    }
    if (rank < 0 || rank >= world) {
      throw new IllegalArgumentException(
          "shardByRank: expected a rank from 0 to %d in a world of %d, but got %d"
              .formatted(world - 1, world, rank));
    }
  }

  @Override
  public long cardinality() {
    long all = input.cardinality();
    return all < 0 ? all : all / world + (mode != ShardMode.DROP && all % world != 0 ? 1 : 0);
  }

  @Override
  public Traits traits() {
    return mode == ShardMode.DROP
        ? Traits.PLAIN.asKeepingPlace().with(Passing.SOME)
        : Traits.PLAIN.asKeepingPlace();
  }

  @Override
  public Cursor open(Context context) {
    return new RankCursor(context, this);
  }

  private static final class RankCursor extends UnaryCursor {
    private static final int LONGEST_PULL = 1024;

    private final ShardByRankOp op;
    private final Reader reader;

    /** The good elements of the group that was read last. */
    private final Chunk group = new Chunk();

    /** What this rank gets for that group: failures, then an element. */
    private final OpenGroup share = new OpenGroup();

    /** Whole groups before that one. */
    private long groupsBefore;

    /** Whether the group is being read, and not all of it is there. */
    private boolean isReading;

    private boolean ended;

    RankCursor(Context context, ShardByRankOp op) {
      long demand = context.demand();
      super(
          context,
          context.open(
              op.input, demand > Long.MAX_VALUE / op.world ? Long.MAX_VALUE : demand * op.world));
      this.op = op;
      this.reader = new Reader(source);
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max)) {
        if (share.hasMore() && !isReading) {
          share.give(out, 1);
        } else if ((ended && !isReading) || (!out.isEmpty() && !reader.isReady())) {
          return;
        } else {
          readGroup(max - out.size());
        }
      }
    }

    private void readGroup(int wanted) {
      if (!isReading) {
        groupsBefore += group.size() == op.world ? 1 : 0;
        share.begin(at(groupsBefore, reader.after()));
        group.clear();
        Chunk _ = share.refill();
        isReading = true;
      }
      while (group.size() < op.world) {
        long most = (long) wanted * op.world - group.size();
        if (!reader.advance((int) Math.min(most, LONGEST_PULL))) {
          ended = true;
          break;
        }
        if (!reader.isFailure()) {
          reader.giveTo(group);
          forget(group.size() - 2);
        } else if (group.size() == op.rank) {
          reader.giveTo(share.waiting());
        }
      }
      addElement();
      for (int i = 0; i < group.size(); i++) {
        group.forget(i); // its size is what counts from now on
      }
      isReading = false;
    }

    /** Forgets an element of another rank, unless the last group may be filled up with it. */
    private void forget(int index) {
      boolean mayBeRepeated = op.mode == ShardMode.REPEAT && groupsBefore == 0;
      if (index >= 0 && index != op.rank && !mayBeRepeated) {
        group.forget(index);
      }
    }

    private void addElement() {
      int present = group.size();
      if (op.rank < present && (present == op.world || op.mode != ShardMode.DROP)) {
        share.waiting().append(group, op.rank);
      } else if (present > 0 && op.mode == ShardMode.PAD) {
        share.waiting().append(group, present - 1);
      } else if (present > 0 && op.mode == ShardMode.REPEAT) {
        int number = op.rank - present;
        if (groupsBefore == 0) {
          share.waiting().append(group, number % present);
        } else {
          context.asOne(() -> addFromTheStart(number));
        }
      }
    }

    /** Reads the input again from its start, for one of its first elements. */
    private void addFromTheStart(int number) {
      try (Reader again = new Reader(context.open(op.input, number + 1L))) {
        int left = number;
        while (again.advance(left + 1)) {
          if (!again.isFailure() && left-- == 0) {
            again.giveTo(share.waiting());
            return;
          }
        }
      }
    }

    @Override
    public boolean isReady() {
      return (!isReading && share.hasMore()) || ended || reader.isReady();
    }

    @Override
    protected State position() {
      if (isReading || share.hasMore()) {
        return share.position();
      }
      if (ended) {
        return State.of("over", true, "input", reader.after());
      }
      return at(groupsBefore + (group.size() == op.world ? 1 : 0), reader.after());
    }

    private static State at(long groups, State input) {
      return State.of("groups", groups, "input", input);
    }

    @Override
    protected void moveTo(State state) {
      ended = state.has("over") && state.flag("over");
      if (ended) {
        reader.restore(state.state("input"));
        return;
      }
      groupsBefore = state.number("groups");
      if (groupsBefore < 0) {
        throw new State.InvalidState(
            "checkpoint: expected 0 or more groups of ranks, but got " + groupsBefore);
      }
      reader.restore(state.state("input"));
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
