package dev.headrace.data;

/**
 * An element that says whether it is a real one, as {@code padToCardinality} gives it. It is a
 * structure where its value is one: batched, {@code valid} is the mask of the batch.
 *
 * @param valid true for a real element, false for padding; a scalar before it is batched
 */
public record Padded<T>(T value, Tensor valid) {}
