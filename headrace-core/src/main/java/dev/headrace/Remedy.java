package dev.headrace;

import dev.headrace.op.CacheOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.profile.Advice;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes the change that an advice speaks of, in a plan. */
final class Remedy {
  private Remedy() {}

  /**
   * The plan with the change made.
   *
   * @throws IllegalArgumentException if the engine cannot make it, or the plan is another one
   */
  static Op apply(Op plan, Advice advice) {
    if (!advice.isApplicable()) {
      throw new IllegalArgumentException(
          "with: expected a change that the engine can make itself, but this is for you to make: "
              + advice.title()
              + "; "
              + advice.code());
    }
    return switch (advice.action()) {
      case PARALLELISE, READ_IN_PARALLEL -> withKnob(plan, advice, "parallelism", Knob.AUTOTUNE);
      case PREFETCH -> new PrefetchOp(plan, Knob.AUTOTUNE, Site.UNKNOWN);
      case ENLARGE_BUFFER -> withKnob(plan, advice, "buffer", Advice.LARGER_BUFFER);
      case PREFETCH_TO_DEVICE -> withKnob(plan, advice, "buffer", Knob.AUTOTUNE);
      case CACHE -> at(plan, advice, op -> new CacheOp(op, op.site()));
      case REMOVE -> at(plan, advice, op -> op.inputs().getFirst());
      default ->
          throw new IllegalArgumentException(
              "with: expected a change to the plan, but got " + advice.title());
    };
  }

  private static Op withKnob(Op plan, Advice advice, String knob, int value) {
    return at(plan, advice, op -> OpShape.of(op.getClass()).withKnob(op, knob, before -> value));
  }

  private static Op at(Op plan, Advice advice, UnaryOperator<Op> change) {
    Op changed = plan;
    try {
      for (String place : advice.key().split(",")) {
        changed = at(changed, place.split("\\."), 1, change);
      }
      return changed;
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "with: expected advice about this dataset, but there is no "
              + advice.where()
              + " in it; ask the dataset's own pipeline for a diagnosis",
          e);
    }
  }

  private static Op at(Op op, String[] path, int depth, UnaryOperator<Op> change) {
    if (depth == path.length) {
      return change.apply(op);
    }
    List<Op> inputs = new ArrayList<>(op.inputs());
    int index = Integer.parseInt(path[depth]);
    inputs.set(index, at(inputs.get(index), path, depth + 1, change));
    return OpShape.of(op.getClass()).withInputs(op, inputs);
  }
}
