package dev.headrace.spi;

/** Makes a lambda that the code of another class calls. */
public final class MultiplyingLambda {
  private MultiplyingLambda() {}

  public static MultiplyingFn make() {
    return x -> x + 1;
  }
}
