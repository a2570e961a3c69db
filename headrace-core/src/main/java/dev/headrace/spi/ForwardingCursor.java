package dev.headrace.spi;

/**
 * A cursor that gives one element for one, each for itself, so that its position is its input's and
 * elements that are passed over need not be made.
 */
public abstract class ForwardingCursor extends UnaryCursor {

  protected ForwardingCursor(Context context, Cursor source) {
    super(context, source);
  }

  /** A cursor behind its operator's own, whose elements are not counted as the operator's. */
  protected ForwardingCursor(Context context, Meter meter, Cursor source) {
    super(context, meter, source);
  }

  @Override
  public void skip(long count) {
    source.skip(count);
  }

  @Override
  protected State position() {
    return source.save();
  }

  @Override
  protected void moveTo(State state) {
    source.restore(state);
  }
}
