package dev.headrace.optimize;

import dev.headrace.op.FilterOp;
import dev.headrace.op.FusedMapOp;
import dev.headrace.op.MapOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks a filter before the maps in front of it, where its condition was declared to allow that.
 *
 * <pre>
 * filter(p).beforeMaps() ← map(g) ← map(f) ← files   becomes   map(g) ← map(f) ← filter(p) ← files
 * </pre>
 *
 * <p>It passes all maps or none: a filter has what it sees computed, so between two maps it would
 * stop the second from building on tensors that the first left deferred. The last map still has its
 * tensors computed, as it had when the filter followed it.
 */
final class FilterFirst implements Rule {

  @Override
  public String name() {
    return "filter-first";
  }

  @Override
  public String what() {
    return "Asks a filter that is declared `beforeMaps()` before the maps in front of it, so that"
        + " what it drops is not mapped.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    if (!(op instanceof FilterOp filter) || !filter.beforeMaps() || !around.keepsOrder(op)) {
      return null;
    }
    List<Op> passed = new ArrayList<>(); // the nearest first
    Op below = filter.input();
    while (mayBePassed(below, around)) {
      passed.add(below);
      below = below.inputs().getFirst();
    }
    if (passed.stream().noneMatch(FilterFirst::isMap) || !Deferral.makersOf(below).isEmpty()) {
      return null;
    }
    Op moved = OpShape.of(FilterOp.class).withInputs(filter, List.of(below));
    Change change =
        new Change(
            moved,
            Change.carrying(moved, List.of(filter)),
            "is asked before " + title(passed, around),
            "what it drops need not be mapped, and it is declared to give the same answer there");
    Op last = passed.stream().filter(FilterFirst::isMap).findFirst().orElseThrow();
    Op above = moved;
    for (Op each : passed.reversed()) {
      above =
          each == last
              ? computingAtOnce(each, above, around)
              : OpShape.of(each.getClass()).withInputs(each, List.of(above));
      change = change.with(above, List.of(each));
    }
    return new Change(above, change.carriedOut(), change.what(), change.why());
  }

  private static boolean mayBePassed(Op op, Surroundings around) {
    return op instanceof PrefetchOp
        || (isMap(op) && around.keepsOrder(op) && !(op instanceof MapOp map && map.synchronous()));
  }

  private static boolean isMap(Op op) {
    return op instanceof MapOp || op instanceof FusedMapOp;
  }

  private static String title(List<Op> passed, Surroundings around) {
    return around.written(passed.getLast()).title();
  }

  private static Op computingAtOnce(Op op, Op input, Surroundings around) {
    if (op instanceof MapOp map) {
      return new FusedMapOp(
          input,
          List.of(FuseMaps.partOf(map, around, true)),
          map.parallelism(),
          map.order(),
          map.site());
    }
    FusedMapOp fused = (FusedMapOp) op;
    List<FusedMapOp.Part> parts = new ArrayList<>(fused.parts());
    FusedMapOp.Part last = parts.removeLast();
    parts.add(new FusedMapOp.Part(last.function(), last.title(), last.path(), true));
    return new FusedMapOp(input, parts, fused.parallelism(), fused.order(), fused.site());
  }
}
