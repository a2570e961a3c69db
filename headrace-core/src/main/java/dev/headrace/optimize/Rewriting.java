package dev.headrace.optimize;

import dev.headrace.op.MapOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Origins;
import dev.headrace.spi.Recurring;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** One plan on its way through the rules. */
final class Rewriting {
  /*
   * Where an operator comes from is known by its identity, so no two places of the plan may share
   * an object. A dataset that is zipped with itself does; such operators are copied first.
   */

  /** Rules make plans smaller, or add once; this is far beyond what any plan needs. */
  private static final int MOST_SWEEPS = 100;

  private final Goals goals;
  private final boolean readsNothingAhead;
  private final List<Rewrite> rewrites = new ArrayList<>();

  /** The user's operator for each that the user did not write. */
  private final Map<Op, Op> written = new IdentityHashMap<>();

  /** The places in the user's plan of every operator of the plan. */
  private final Map<Op, List<String>> places = new IdentityHashMap<>();

  /** Whether every pass over an operator gives the same, as far as anybody has asked. */
  private final Map<Op, Boolean> recurring = new IdentityHashMap<>();

  private final Op asWritten;
  private Op plan;

  Rewriting(Op plan, Goals goals) {
    this.goals = goals;
    this.asWritten = plan;
    this.readsNothingAhead = isAnySynchronous(plan);
    this.plan = withoutSharing(plan, "0");
  }

  private static boolean isAnySynchronous(Op op) {
    if (op instanceof MapOp map && map.synchronous()) {
      return true;
    }
    for (Op input : op.inputs()) { // no stream, in all that calls itself: plans are deep
      if (isAnySynchronous(input)) {
        return true;
      }
    }
    return false;
  }

  private Op withoutSharing(Op op, String place) {
    List<Op> inputs = new ArrayList<>();
    for (int i = 0; i < op.inputs().size(); i++) {
      inputs.add(withoutSharing(op.inputs().get(i), place + "." + i));
    }
    Op own = op;
    if (places.containsKey(op) || !sameObjects(inputs, op.inputs())) {
      own = OpShape.of(op.getClass()).withInputs(op, inputs);
      written.put(own, op);
    }
    places.put(own, List.of(place));
    return own;
  }

  private static boolean sameObjects(List<Op> some, List<Op> others) {
    for (int i = 0; i < some.size(); i++) {
      if (some.get(i) != others.get(i)) {
        return false;
      }
    }
    return true;
  }

  Optimised run(List<Rule> rules) {
    int before = -1;
    for (int sweep = 0; sweep < MOST_SWEEPS && before < rewrites.size(); sweep++) {
      before = rewrites.size();
      for (Rule rule : rules) {
        plan = rewritten(rule, plan, new ArrayList<>());
      }
    }
    if (rewrites.isEmpty()) {
      return Optimised.asWritten(asWritten);
    }
    Map<String, List<String>> places = new LinkedHashMap<>();
    Map<Op, Op> origins = new IdentityHashMap<>();
    collect(plan, "0", places, origins);
    return new Optimised(plan, new Origins(origins), rewrites, places);
  }

  private void collect(Op op, String place, Map<String, List<String>> into, Map<Op, Op> origins) {
    into.put(place, Objects.requireNonNull(places.get(op)));
    if (written(op) != op) {
      origins.put(op, written(op));
    }
    for (int i = 0; i < op.inputs().size(); i++) {
      collect(op.inputs().get(i), place + "." + i, into, origins);
    }
  }

  private boolean recurs(Op op) {
    Boolean known = recurring.get(op);
    if (known == null) {
      known = Recurring.isTheSameInEveryPass(op, goals::keepsOrder, this::recurs);
      recurring.put(op, known);
    }
    return known;
  }

  private Op written(Op op) {
    return written.getOrDefault(op, op);
  }

  /**
   * What a rule makes of an operator and all below it.
   *
   * @param above the operators that pull from it, the last of the plan first
   */
  private Op rewritten(Rule rule, Op op, List<Op> above) {
    List<Op> before = op.inputs();
    List<Op> inputs = new ArrayList<>(before.size());
    above.addLast(op);
    for (Op input : before) {
      inputs.add(rewritten(rule, input, above));
    }
    above.removeLast();
    Op now = op;
    if (!sameObjects(inputs, before)) {
      now = OpShape.of(op.getClass()).withInputs(op, inputs);
      takesOver(now, List.of(op));
    }
    Change change =
        rule.apply(
            now,
            new Surroundings(
                goals, above.reversed(), this::written, this::recurs, readsNothingAhead));
    if (change == null) {
      return now;
    }
    rewrites.add(new Rewrite(rule.name(), written(now).title(), change.what(), change.why()));
    learn(change.op(), change);
    return change.op();
  }

  /** Takes note of where operators that a rule made come from. */
  private void learn(Op op, Change change) {
    if (places.containsKey(op)) {
      return; // it was there before, and so was everything below it
    }
    for (Op input : op.inputs()) {
      learn(input, change);
    }
    List<Op> carriedOut = change.carriedOut().get(op);
    if (carriedOut != null) {
      takesOver(op, carriedOut);
    } else {
      written.put(op, written(op.inputs().getFirst()));
      places.put(op, List.of());
    }
  }

  private void takesOver(Op now, List<Op> before) {
    written.put(now, written(before.getFirst()));
    Set<String> theirs = new LinkedHashSet<>();
    before.forEach(op -> theirs.addAll(Objects.requireNonNull(places.get(op))));
    places.put(now, List.copyOf(theirs));
  }
}
