package dev.headrace.spi;

import dev.headrace.data.Tensor;

/**
 * One row of packed sequences.
 *
 * @param tokens the sequences one after the other, then padding; what one of them was, in the
 *     length of the row
 * @param segmentIds for each place in the row which sequence it belongs to, from 1; 0 is padding
 * @param positions for each place its distance from the start of its segment; 0 in padding
 */
public record Packed<T>(T tokens, Tensor segmentIds, Tensor positions) {}
