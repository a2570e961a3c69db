/**
 * NVIDIA GPUs as devices: {@link dev.headrace.cuda.CudaDevice} is where to begin.
 *
 * <p>One class calls each library: {@code CudaDriver} the driver, {@code NvJpeg} and {@code Nvrtc}
 * the two that are optional. Imports {@code data} and {@code device} of the core, and {@code
 * kernel}.
 */
@NullMarked
package dev.headrace.cuda;

import org.jspecify.annotations.NullMarked;
