package dev.headrace.data;

/** Two elements side by side, as {@code zip} gives them. */
public record Pair<A, B>(A first, B second) {}
