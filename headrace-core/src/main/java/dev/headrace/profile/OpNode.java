package dev.headrace.profile;

import dev.headrace.spi.Op;

/**
 * An operator in its place.
 *
 * @param key "0" for the last operator, "0.0" for its first input, and so on
 */
public record OpNode(String key, Op op) {}
