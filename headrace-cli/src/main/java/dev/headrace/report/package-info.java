/**
 * A diagnosis for people and for programs: a page, a trace, a metrics endpoint, JSON.
 *
 * <p>Main type: {@link dev.headrace.report.Report}. May import the JDK, and of core the values in
 * {@code profile} and the names of files being written. Knows nothing of the command.
 */
@NullMarked
package dev.headrace.report;

import org.jspecify.annotations.NullMarked;
