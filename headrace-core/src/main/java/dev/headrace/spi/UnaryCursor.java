package dev.headrace.spi;

/**
 * A cursor over one input: what it does not say itself, its input says.
 *
 * <p>It says how a position is made up. If that is a few numbers beside the input's position,
 * {@link CountingCursor} puts the two together; if it is the input's position, {@link
 * ForwardingCursor} hands it on.
 */
public abstract class UnaryCursor extends Cursor {
  /** The input; an operator that opens it again puts the new one here. */
  protected Cursor source;

  protected UnaryCursor(Context context, Cursor source) {
    super(context);
    this.source = source;
  }

  /** A cursor behind its operator's own, whose elements are not counted as the operator's. */
  protected UnaryCursor(Context context, Meter meter, Cursor source) {
    super(context, meter);
    this.source = source;
  }

  @Override
  public boolean isReady() {
    return source.isReady();
  }

  @Override
  public void start() {
    source.start();
  }

  /** The input's answer is right for a skip that runs the cursor, too: nothing is left out then. */
  @Override
  public boolean leavesOutCalls() {
    return source.leavesOutCalls();
  }

  /**
   * Drops the elements of a chunk from {@code newSize} on, which will not be delivered.
   *
   * @param why what to say of batches among them if they are still used
   */
  protected static void drop(Chunk chunk, int newSize, String why) {
    for (int i = newSize; i < chunk.size() && !chunk.inLongs(); i++) {
      Leases.giveBack(chunk.item(i), why);
    }
    chunk.truncate(newSize);
  }

  @Override
  public void close() {
    source.close();
  }
}
