package dev.headrace.cuda.kernel;

import dev.headrace.data.Expression;

/**
 * A computation by the user's own kernel, which is launched as it is.
 *
 * <p>What reads its result gets it as a {@link Program.HostValue}: the code that runs the program
 * puts the kernel's launch in its place.
 */
public interface OwnKernel extends Expression {}
