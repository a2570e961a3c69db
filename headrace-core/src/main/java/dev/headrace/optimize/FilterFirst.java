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
 * filter(p).beforeMaps(2) ← map(g) ← map(f) ← files   becomes   map(g) ← map(f) ← filter(p) ← files
 * </pre>
 *
 * <p>Not where the maps it would follow then may leave tensors deferred: a filter has what it sees
 * computed, so that the maps after it could no longer build on them. The last map still has its
 * tensors computed, as it had when the filter followed it.
 */
final class FilterFirst implements Rule {

  @Override
  public String name() {
    return "filter-first";
  }

  @Override
  public String what() {
    return "Asks a filter that is declared `beforeMaps(n)` before the `n` maps in front of it, so"
        + " that what it drops is not mapped.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    if (!(op instanceof FilterOp filter) || !around.keepsOrder(op)) {
      return null;
    }
    Integer declared = filter.beforeMaps();
    if (declared == null) {
      return null;
    }
    List<Op> passed = new ArrayList<>(); // the nearest first
    Op below = filter.input();
    int left = declared;
    while (left > 0 && mayBePassed(below, around)) {
      passed.add(below);
      left -= isMap(below) ? 1 : 0;
      below = below.inputs().getFirst();
    }
    if (left > 0 || !Deferral.makersOf(below).isEmpty()) {
      return null;
    }
    Op moved =
        new FilterOp(
            below, filter.condition(), filter.parallelism(), filter.order(), null, filter.site());
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
              ? computingAtOnce((MapOp) each, above, around)
              : OpShape.of(each.getClass()).withInputs(each, List.of(above));
      change = change.with(above, List.of(each));
    }
    return new Change(above, change.carriedOut(), change.what(), change.why());
  }

  private static boolean mayBePassed(Op op, Surroundings around) {
    return op instanceof PrefetchOp
        || (op instanceof MapOp map && !map.synchronous() && around.keepsOrder(map));
  }

  private static boolean isMap(Op op) {
    return op instanceof MapOp;
  }

  private static String title(List<Op> passed, Surroundings around) {
    return around.written(passed.getLast()).title();
  }

  /** The map over another input, with its tensors computed before they are handed on. */
  static FusedMapOp computingAtOnce(MapOp map, Op input, Surroundings around) {
    return new FusedMapOp(
        input,
        List.of(FuseMaps.partOf(map, around, true)),
        map.parallelism(),
        map.order(),
        map.site());
  }
}
