/**
 * The values that flow through a pipeline and the memory they live in: tensors, structures of
 * tensors, byte accounts, slabs and leases, and the random numbers of tf.data.
 *
 * <p>The main type is {@link dev.headrace.data.Tensor}. This package imports the JDK only (and
 * JSpecify's annotations); every other package may import it.
 */
@NullMarked
package dev.headrace.data;

import org.jspecify.annotations.NullMarked;
