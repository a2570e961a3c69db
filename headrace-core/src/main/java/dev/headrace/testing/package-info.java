/**
 * Fakes and contracts for testing operators, sources and pipelines, for users as for Headrace
 * itself.
 *
 * <p>Main type: {@code PipelineContract}, which every operator's test runs.
 *
 * <p>May import every package of core, and JUnit, which the user brings.
 */
@NullMarked
package dev.headrace.testing;

import org.jspecify.annotations.NullMarked;
