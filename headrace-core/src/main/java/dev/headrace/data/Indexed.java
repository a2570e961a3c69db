package dev.headrace.data;

/**
 * An element with its number, as {@code enumerate} gives it.
 *
 * @param index how many places were before it, counted from the start that was asked for
 */
public record Indexed<T>(long index, T value) {}
