package dev.headrace.cuda.kernel;

import dev.headrace.data.Tensor;

/** Makes programs for the device of deferred tensors. */
public final class Kernels {
  private Kernels() {}

  /**
   * The program that computes a deferred tensor.
   *
   * @throws UnsupportedOperationException if a step of it cannot run on the device, naming it
   */
  public static Program compile(Tensor deferred) {
    throw new UnsupportedOperationException(
        "device: expected steps that a GPU can compute, but got " + deferred.describe());
  }
}
