package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;

/**
 * Reads its input ahead on a thread of its own.
 *
 * @param buffer how many elements to hold at most, AUTOTUNE, 0 for none, or {@link
 *     Parallelism#IF_IT_HELPS} to read ahead only once that was measured to help
 */
public record PrefetchOp(Op input, @Knob int buffer, Site site) implements Op {

  public PrefetchOp {
    if (buffer < Parallelism.IF_IT_HELPS) {
      throw new IllegalArgumentException(
          "prefetch: expected a buffer of at least 0 elements or AUTOTUNE, but got " + buffer);
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asTreatingEachAlone()
        .asKeepingElements()
        .asShapingNothing()
        .asNeverFailing()
        .with(Deferring.CARRIES)
        .with(Duty.READS_AHEAD);
  }

  @Override
  public Access access() {
    return input.access();
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    return buffer == 0 || context.debug() ? source : context.prefetch(source, buffer);
  }
}
