/**
 * What is known of a pipeline: what was measured of a running one, as plain values (main type
 * {@link dev.headrace.profile.OpStats}), and what its plan alone gives away ({@link
 * dev.headrace.profile.Linter}). The values import the JDK only, the linter {@code spi} and its
 * rules.
 */
@NullMarked
package dev.headrace.profile;

import org.jspecify.annotations.NullMarked;
