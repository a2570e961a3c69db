package dev.headrace.optimize;

import dev.headrace.op.BatchOp;
import dev.headrace.op.MapOp;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.ElementwiseFn;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls a function that is declared to be element-wise once for a batch instead of once for each of
 * its elements.
 *
 * <pre>
 * batch(32) ← map(elementwise(f)) ← slices   becomes   map(elementwise(f)) ← batch(32) ← slices
 * </pre>
 *
 * <p>Not where the function is given tensors that wait to be computed: it builds on them, and all
 * of it is computed straight into the batch, which is better still.
 */
final class Vectorise implements Rule {

  @Override
  public String name() {
    return "vectorise";
  }

  @Override
  public String what() {
    return "Calls a function that is declared `elementwise(f)` directly before `batch` once for"
        + " each batch, after it.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    if (!(op instanceof BatchOp batch)
        || batch.collator() != null
        || !(batch.input() instanceof MapOp map)
        || !(map.function() instanceof ElementwiseFn)
        || map.synchronous()
        || !around.keepsOrder(map)
        || !Deferral.makersOf(map.input()).isEmpty()) {
      return null;
    }
    Op first = OpShape.of(BatchOp.class).withInputs(batch, List.of(map.input()));
    Op then = FilterFirst.computingAtOnce(map, first, around);
    return new Change(
            then,
            Change.carrying(then, List.of(map)),
            "is done before " + around.written(map).title(),
            "its function is declared element-wise, and is then called once for " + batch.size())
        .with(first, List.of(batch));
  }
}
