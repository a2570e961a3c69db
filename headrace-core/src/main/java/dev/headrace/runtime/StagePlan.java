package dev.headrace.runtime;

import dev.headrace.spi.Work;
import org.jspecify.annotations.Nullable;

/**
 * What a stage is to do.
 *
 * @param work what to do to each chunk, null to only read ahead
 * @param oneToOne whether the work gives one element for each
 * @param ordered whether results leave in the order of the input
 * @param capacity how many elements to hold; negative to let the engine choose
 * @param demand how many elements will be asked for at most
 */
record StagePlan(
    @Nullable Work work, boolean oneToOne, boolean ordered, int capacity, long demand) {}
