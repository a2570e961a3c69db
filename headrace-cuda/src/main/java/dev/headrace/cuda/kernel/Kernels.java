package dev.headrace.cuda.kernel;

import dev.headrace.data.Tensor;

/**
 * The compiler from deferred tensors to programs of the device.
 *
 * <p>Steps that follow one another become one kernel: each thread computes an element of the
 * result, or the channels of one pixel, and asks step before step for what it needs. Rows of a
 * stack that have the same steps are one launch, however large their images and wherever their
 * windows are: such numbers are in a table, and not in the text, of which a pipeline needs few.
 *
 * <p>The results are those of the host:
 *
 * <table>
 * <caption>Largest difference from what the host computes</caption>
 * <tr><th>steps</th><th>difference</th></tr>
 * <tr><td>crop, pad, flips and turns, layout, reshape, stack, nearest pixels</td><td>none</td></tr>
 * <tr><td>resize by any method, scaleAndTranslate, cropAndResize</td><td>none</td></tr>
 * <tr><td>convert, convertImageDtype, scale, arithmetic, clip, square, abs, negate, sqrt</td>
 * <td>none</td></tr>
 * <tr><td>normalise, brightness, saturation, hue, grayscale, HSV</td><td>none</td></tr>
 * <tr><td>exp, log, gamma</td><td>1 ulp of the result's type for types up to float32 (in practice
 * none), 2 ulp for float64; an adjusted integer image may so differ by 1</td></tr>
 * <tr><td>sum, mean</td><td>none for integers. Floats are added in double precision, in another
 * order: 1 ulp up to float32; for float64 a share of n · 2^-53 of the sum of magnitudes, for n
 * elements</td></tr>
 * <tr><td>min, max</td><td>none</td></tr>
 * <tr><td>standardise, contrast</td><td>mean and deviation are sums as above, so that each may
 * differ by 1 ulp, and an adjusted integer image by 1</td></tr>
 * <tr><td>images decoded on the device</td><td>those of the decoder; all after it is exact</td></tr>
 * </table>
 *
 * <p>A NaN is a NaN, but may be another one; in images that HSV or an adjustment of hue or
 * saturation works on it may become a number.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
public final class Kernels {
  private Kernels() {}

  /**
   * The program that computes {@code deferred}. Tensors that it reads lie on the device or are the
   * host's; those of the host are copied whole, or decoded, before the first launch.
   *
   * @throws UnsupportedOperationException if there is a step over tensors of the device that this
   *     compiler does not know, naming it
   */
  public static Program compile(Tensor deferred) {
    return Planner.plan(deferred);
  }
}
