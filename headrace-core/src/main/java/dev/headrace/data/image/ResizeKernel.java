package dev.headrace.data.image;

/**
 * Which loops a bilinear resize runs. All of them give the same bits, so that this is for
 * measurements; left alone, it is {@link #MEASURED}.
 */
public enum ResizeKernel {
  /** Plain Java, until the vector API has proved to be faster in this process. */
  MEASURED,
  /** Plain Java. */
  PLAIN,
  /** The vector API. */
  VECTOR;

  /** Whether this runtime has it: the vector API needs {@code --add-modules}. */
  public boolean isAvailable() {
    return this != VECTOR || LerpKernels.vector() != null;
  }

  /** Lets all resizes of this process that begin from now on use it. */
  public void use() {
    if (!isAvailable()) {
      throw new IllegalStateException(
          "ResizeKernel.use: expected a runtime with the vector API, but this one has none; start"
              + " it with --add-modules jdk.incubator.vector");
    }
    LerpKernels.use(this);
  }
}
