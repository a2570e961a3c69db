package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ForwardingCursor;
import dev.headrace.spi.Meter;
import dev.headrace.spi.Op;
import dev.headrace.spi.PureFunction;
import dev.headrace.spi.State;
import dev.headrace.spi.Work;

/** A running map on one thread; what runs where it has several is the engine's. */
final class MapCursor extends ForwardingCursor {
  private final Work work;
  private final boolean isPure;
  private final boolean synchronous;

  /** What was pulled, but not worked on because the function turned slow or its results heavy. */
  private final OpenGroup rest = new OpenGroup();

  MapCursor(Context context, Cursor source, Work work, Op op, boolean synchronous) {
    this(context, context.meter(), source, work, op, synchronous);
  }

  /** The same behind its operator's own cursor, which counts the elements. */
  static MapCursor uncounted(Context context, Cursor source, Work work, Op op) {
    return new MapCursor(context, new Meter(), source, work, op, false);
  }

  private MapCursor(
      Context context, Meter meter, Cursor source, Work work, Op op, boolean synchronous) {
    super(context, meter, source);
    this.work = work;
    this.isPure = PureFunction.areAllOf(op);
    this.synchronous = synchronous;
  }

  @Override
  protected void produce(Chunk out, int max) {
    if (rest.hasMore()) {
      int _ = rest.show(out, synchronous ? 1 : max);
      int worked = work.run(out, true);
      out.truncate(worked);
      rest.pass(worked);
      return;
    }
    if (max == 1 || synchronous) {
      source.fill(out, 1);
      work.run(out, false);
      return;
    }
    State before = source.save();
    source.fill(out, max);
    int done = work.run(out, true);
    if (done < out.size()) {
      rest.begin(State.skipping(done, before));
      rest.refill().append(out, done, out.size() - done);
      out.truncate(done);
    }
  }

  @Override
  public boolean isReady() {
    return rest.hasMore() || source.isReady();
  }

  @Override
  public void skip(long count) {
    int ofRest = (int) Math.min(count, rest.left());
    rest.pass(ofRest);
    source.skip(count - ofRest); // one to one: the function is not even called
  }

  @Override
  public boolean leavesOutCalls() {
    return !isPure || source.leavesOutCalls();
  }

  @Override
  protected State position() {
    return rest.hasMore() ? rest.position() : source.save();
  }
}
