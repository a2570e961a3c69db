package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * An error as an element: it keeps its place in order and is thrown once, when it is delivered.
 *
 * @param path the operator that failed, as {@link Context#path()} names it
 * @param id the element it failed on, or null where the failure belongs to no element
 * @param terminal whether the pipeline cannot go on after it
 */
public record Failure(String path, @Nullable Id id, Throwable cause, boolean terminal) {}
