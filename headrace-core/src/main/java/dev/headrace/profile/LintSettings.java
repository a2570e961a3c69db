package dev.headrace.profile;

/**
 * How a plan will be run, as far as the {@link Linter} has to know.
 *
 * @param epochs how many passes will be read; 0 where nobody said
 * @param heapBudget how many bytes of elements may be on the heap
 * @param nativeBudget how many bytes of batches may be off the heap
 */
public record LintSettings(
    boolean deterministic,
    boolean debug,
    boolean requiresCheckpoint,
    long epochs,
    long heapBudget,
    long nativeBudget) {}
