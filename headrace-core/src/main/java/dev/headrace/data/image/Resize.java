package dev.headrace.data.image;

/**
 * How an image is resized.
 *
 * @param method how a pixel is computed
 * @param antialias whether shrinking widens the filter, so that no pixel is passed over
 * @param preserveAspectRatio whether the given size is a frame that the result must fit into
 * @param grid where pixels lie; other than {@link Grid#HALF_PIXEL} only for NEAREST, BILINEAR and
 *     BICUBIC without antialias
 */
public record Resize(
    ResizeMethod method, boolean antialias, boolean preserveAspectRatio, Grid grid) {
  /** Two by two pixels, linearly: the default of tf.image.resize. */
  public static final Resize BILINEAR = of(ResizeMethod.BILINEAR);

  /** The nearest pixel, which keeps the type. */
  public static final Resize NEAREST = of(ResizeMethod.NEAREST);

  public Resize {
    boolean classic =
        !antialias
            && (method == ResizeMethod.NEAREST
                || method == ResizeMethod.BILINEAR
                || method == ResizeMethod.BICUBIC);
    if (grid != Grid.HALF_PIXEL && !classic) {
      throw new IllegalArgumentException(
          "resize: expected %s%s on the grid HALF_PIXEL, but got %s"
              .formatted(method.tfName(), antialias ? " with antialias" : "", grid));
    }
  }

  /** A method, without antialias, as {@code tf.image.resize(…, method)}. */
  public static Resize of(ResizeMethod method) {
    return new Resize(method, false, false, Grid.HALF_PIXEL);
  }

  /** This, with a filter that widens when the image shrinks. */
  public Resize antialiased() {
    return new Resize(method, true, preserveAspectRatio, grid);
  }

  /** This, for a size that is a frame to fit into. */
  public Resize preservingAspectRatio() {
    return new Resize(method, antialias, true, grid);
  }

  /** This, on another grid. */
  public Resize on(Grid otherGrid) {
    return new Resize(method, antialias, preserveAspectRatio, otherGrid);
  }

  /** The filter, in a few words. */
  String describe() {
    return method.tfName()
        + (antialias ? ", antialias" : "")
        + switch (grid) {
          case HALF_PIXEL -> "";
          case ALIGN_CORNERS -> ", align corners";
          case UPPER_LEFT -> ", upper left";
        };
  }
}
