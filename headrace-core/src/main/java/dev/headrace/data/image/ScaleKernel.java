package dev.headrace.data.image;

import java.util.Locale;

/** The filters of TensorFlow's ScaleAndTranslate, by the weight of a pixel at some distance. */
public enum ScaleKernel {
  BOX(1),
  TRIANGLE(1),
  KEYSCUBIC(2),
  MITCHELLCUBIC(2),
  LANCZOS1(1),
  LANCZOS3(3),
  LANCZOS5(5),
  GAUSSIAN(1.5f);

  private final float radius;

  ScaleKernel(float radius) {
    this.radius = radius;
  }

  /** The distance from which on all weights are 0. */
  public float radius() {
    return radius;
  }

  /** The name as TensorFlow spells it. */
  public String tfName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The weight of a pixel whose centre is {@code distance} pixels away. */
  float weight(float distance) {
    float x = Math.abs(distance);
    return switch (this) {
      case BOX -> x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0;
      case TRIANGLE -> x < 1 ? 1 - x : 0;
      case KEYSCUBIC ->
          x >= 2
              ? 0
              : x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : (1.5f * x - 2.5f) * x * x + 1;
      case MITCHELLCUBIC ->
          x >= 2
              ? 0
              : x >= 1
                  ? ((-7 / 18f * x + 2) * x - 10 / 3f) * x + 16 / 9f
                  : (7 / 6f * x - 2) * x * x + 8 / 9f;
      case LANCZOS1, LANCZOS3, LANCZOS5 -> lanczos(x);
      case GAUSSIAN -> {
        float deviation = radius / 3;
        yield x >= radius ? 0 : (float) Math.exp(-x * x / (2 * deviation * deviation));
      }
    };
  }

  private float lanczos(float x) {
    if (x > radius) {
      return 0;
    }
    // Sine over its argument, where the argument is too small to divide by.
    if (x <= 1e-3f) {
      return 1;
    }
    return (float)
        (radius
            * Math.sin(Math.PI * x)
            * Math.sin(Math.PI * x / radius)
            / (Math.PI * Math.PI * x * x));
  }
}
