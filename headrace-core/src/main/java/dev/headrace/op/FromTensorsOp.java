package dev.headrace.op;

import dev.headrace.data.Spec;
import dev.headrace.data.Structure;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import java.util.Objects;

/** One element: a structure of tensors as it is. */
public record FromTensorsOp(Content element, Site site) implements Op {

  /** Refuses what is no structure. */
  public static FromTensorsOp of(Object element, Site site) {
    Objects.requireNonNull(element, "fromTensors: expected a structure of tensors, but got null");
    if (Structure.find(element).isEmpty()) {
      throw new IllegalArgumentException(
          "fromTensors: expected a Tensor, or a record, Map<String, …> or List of them, but got "
              + element.getClass().getTypeName()
              + "; use Dataset.of(…) for elements of other types");
    }
    return new FromTensorsOp(Content.of(Spec.of(element).toString(), element), site);
  }

  @Override
  public long cardinality() {
    return 1;
  }

  @Override
  public Access access() {
    Object only = element.elements().getFirst();
    return new Access() {
      @Override
      public long size() {
        return 1;
      }

      @Override
      public Object at(long index) {
        Objects.checkIndex(index, 1);
        return only;
      }
    };
  }

  @Override
  public Cursor open(Context context) {
    return new TensorsCursor(context, element.elements().getFirst());
  }

  private static final class TensorsCursor extends Cursor {
    private final Object element;
    private boolean given;

    TensorsCursor(Context context, Object element) {
      super(context);
      this.element = element;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (!given) {
        out.add(element, context.prefix(), 0);
        given = true;
      }
    }

    @Override
    protected State position() {
      return State.of("given", given);
    }

    @Override
    protected void moveTo(State state) {
      given = state.flag("given");
    }

    @Override
    public void close() {}
  }
}
