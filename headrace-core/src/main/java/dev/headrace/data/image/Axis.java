package dev.headrace.data.image;

import org.jspecify.annotations.Nullable;

/**
 * One direction of a resize: everything that the weights of its pixels depend on, and so the key
 * under which they are kept.
 *
 * @param kernel the filter of a scaling, or null for the classic method
 * @param method the classic method; meaningless where there is a kernel
 * @param inputs the pixels there are
 * @param outputs the pixels wanted
 * @param scale outputs per input, of a scaling
 * @param translation in outputs, of a scaling
 */
public record Axis(
    @Nullable ScaleKernel kernel,
    ResizeMethod method,
    Grid grid,
    boolean antialias,
    int inputs,
    int outputs,
    float scale,
    float translation) {

  /** The axis of a resize by a filter of {@link ScaleKernel}. */
  static Axis scaling(
      ScaleKernel kernel,
      boolean antialias,
      int inputs,
      int outputs,
      float scale,
      float translation) {
    return new Axis(
        kernel,
        ResizeMethod.BILINEAR,
        Grid.HALF_PIXEL,
        antialias,
        inputs,
        outputs,
        scale,
        translation);
  }

  /** The axis of a resize from {@code inputs} to {@code outputs} pixels, as tf.image chooses. */
  static Axis of(Resize resize, int inputs, int outputs) {
    ScaleKernel kernel =
        switch (resize.method()) {
          case NEAREST, AREA -> null;
          case BILINEAR -> resize.antialias() ? ScaleKernel.TRIANGLE : null;
          case BICUBIC -> resize.antialias() ? ScaleKernel.KEYSCUBIC : null;
          case LANCZOS3 -> ScaleKernel.LANCZOS3;
          case LANCZOS5 -> ScaleKernel.LANCZOS5;
          case GAUSSIAN -> ScaleKernel.GAUSSIAN;
          case MITCHELLCUBIC -> ScaleKernel.MITCHELLCUBIC;
        };
    if (kernel != null) {
      return scaling(kernel, resize.antialias(), inputs, outputs, (float) outputs / inputs, 0);
    }
    return new Axis(null, resize.method(), resize.grid(), false, inputs, outputs, 1, 0);
  }

  /** Whether a pixel is computed from two neighbours, linearly. */
  public boolean isLinear() {
    return kernel == null && method == ResizeMethod.BILINEAR;
  }

  /** How many inputs one output stands for, on the classic grids. */
  public float step() {
    return grid == Grid.ALIGN_CORNERS && outputs > 1
        ? (inputs - 1) / (float) (outputs - 1)
        : inputs / (float) outputs;
  }

  /** The place of an output among the inputs, on the classic grids. */
  float place(int output) {
    return grid == Grid.HALF_PIXEL ? (output + 0.5f) * step() - 0.5f : output * step();
  }

  /** The one input that the nearest method takes. */
  int nearest(int output) {
    float place =
        switch (grid) {
          case HALF_PIXEL -> (float) Math.floor((output + 0.5f) * step());
          case ALIGN_CORNERS -> roundHalfAway(output * step());
          case UPPER_LEFT -> (float) Math.floor(output * step());
        };
    return Math.clamp((long) place, 0, inputs - 1);
  }

  private static float roundHalfAway(float value) {
    return (float) Math.floor(value + 0.5);
  }
}
