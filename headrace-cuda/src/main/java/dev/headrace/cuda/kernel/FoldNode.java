package dev.headrace.cuda.kernel;

import dev.headrace.data.Shape;
import java.util.List;

/** A reduction whose results are each computed by one thread, in a loop over their elements. */
final class FoldNode extends Node {
  private final Fold fold;
  private final ReducedIndex elements;

  FoldNode(Fold fold, ReducedIndex elements, Shape shape) {
    super(fold.dtype(), shape, elements.source());
    this.fold = fold;
    this.elements = elements;
  }

  @Override
  String name() {
    return fold.reduction().word() + elements.axes();
  }

  @Override
  boolean loops() {
    return true;
  }

  @Override
  List<Value> generate(Code code, List<Index> at) {
    return at.stream().map(index -> reduce(code, index.coordinates(code, this))).toList();
  }

  private Value reduce(Code code, List<Operand> kept) {
    Ptx ptx = code.ptx();
    Operand terms = code.row().index(this, "terms", n -> n.elements.terms(), code.indexType());
    Ptx.Variable total = ptx.variable(fold.start());
    ptx.loop(
        code.index(0),
        terms,
        code.index(1),
        term -> {
          Value next = source().value(code, elements.element(code, kept, term));
          Operand some = ptx.read(total);
          ptx.assign(total, fold.merge(code, some, fold.term(code, next)));
        });
    Operand count = code.row().int64(this, "count", n -> n.elements.terms());
    return fold.finish(code, ptx.read(total), count);
  }
}
