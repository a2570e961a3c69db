package dev.headrace.spi;

/** An element that {@code rejectionResample} kept, with its class. */
public record Resampled<T>(int label, T value) {}
