/**
 * What was measured of a running pipeline, as plain values; main type {@link
 * dev.headrace.profile.OpStats}. Imports the JDK only.
 */
@NullMarked
package dev.headrace.profile;

import org.jspecify.annotations.NullMarked;
