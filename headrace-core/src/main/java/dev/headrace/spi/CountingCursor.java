package dev.headrace.spi;

/**
 * A cursor over one input whose position is a few numbers of its own and the input's position.
 *
 * <p>Both methods must be written, so that a number cannot be forgotten silently: one that counts
 * nothing says so with {@link State#START}.
 */
public abstract class CountingCursor extends UnaryCursor {
  private static final String INPUT = "input";

  protected CountingCursor(Context context, Cursor source) {
    super(context, source);
  }

  /** What this cursor itself has counted; {@link State#START} if it counts nothing. */
  protected abstract State own();

  /** Takes over what {@link #own} told; the input is put at its position afterwards. */
  protected abstract void moveOwn(State saved);

  /** The input's position, as this cursor's tells it. */
  protected State input() {
    return source.save();
  }

  @Override
  protected State position() {
    return own().with(INPUT, input());
  }

  @Override
  protected void moveTo(State state) {
    moveOwn(state);
    source.restore(state.state(INPUT));
  }
}
