/**
 * Kernels for the device, generated from deferred tensors; calls no driver.
 *
 * <p>Main type: {@link dev.headrace.cuda.kernel.Program}, what is to be run. Imports {@code data}
 * of the core.
 */
@NullMarked
package dev.headrace.cuda.kernel;

import org.jspecify.annotations.NullMarked;
