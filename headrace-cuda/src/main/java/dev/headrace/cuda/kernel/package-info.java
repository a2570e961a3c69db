/**
 * Kernels for the device, generated from deferred tensors; calls no driver.
 *
 * <pre>
 * Kernels.compile(tensor)
 *   Planner      its expressions become Nodes, what the host must do becomes copies and decodes
 *   Job          all elements of a node (ElementJob), or sums over them (ReduceJob)
 *   Kernel       jobs of one structure are one launch; the text is generated once and kept
 *     Code         arithmetic, indices and places in memory, for the nodes to generate with
 *     RowRecord    the numbers that rows differ in, in a table
 *     Ptx          registers, loops, the text
 *   Program      what is to be run
 * </pre>
 *
 * <p>Main type: {@link dev.headrace.cuda.kernel.Kernels}; it makes a {@link
 * dev.headrace.cuda.kernel.Program}, which code that knows the driver runs. Imports {@code data} of
 * the core.
 */
@NullMarked
package dev.headrace.cuda.kernel;

import org.jspecify.annotations.NullMarked;
