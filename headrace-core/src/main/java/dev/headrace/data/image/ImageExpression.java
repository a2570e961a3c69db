package dev.headrace.data.image;

import dev.headrace.data.Expression;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A deferred step on an image [height, width, channels], or on each image of a batch.
 *
 * <p>Steps that follow one another are computed row by row in one pass where their kind allows it;
 * what lies between two passes is scratch memory of the thread.
 */
public sealed interface ImageExpression extends Expression
    permits AdjustExpression,
        ColourExpression,
        ConvertImageExpression,
        CropAndResizeExpression,
        CropExpression,
        LayoutExpression,
        NormaliseExpression,
        OrientExpression,
        PadExpression,
        Resampling,
        StandardiseExpression {
  /** The image that the step works on. */
  Tensor source();

  @Override
  default List<Tensor> sources() {
    return List.of(source());
  }

  @Override
  default void evaluateInto(MemorySegment destination) {
    ImagePass.endingIn(this).evaluateInto(destination);
  }
}
