package dev.headrace.profile;

/**
 * How a plan will be run, as far as the {@link Linter} has to know.
 *
 * @param assumesPure whether every function is said to be pure
 * @param epochs how many passes will be read; 0 where that is not known
 * @param heapBudget how many bytes of elements may be on the heap
 * @param memoryBudget how many bytes may be on the heap and off it together
 * @param spills whether what does not fit into memory may go to disk
 */
public record LintSettings(
    boolean deterministic,
    boolean debug,
    boolean requiresCheckpoint,
    boolean assumesPure,
    long epochs,
    long heapBudget,
    long memoryBudget,
    boolean spills) {}
