/**
 * What was measured of a running pipeline, what it means and what to change; main type {@link
 * dev.headrace.profile.Diagnosis}. Measurements are plain values, the model on them pure functions.
 * The linter ({@link dev.headrace.profile.Linter}) says what the plan alone gives away.
 */
@NullMarked
package dev.headrace.profile;

import org.jspecify.annotations.NullMarked;
