package dev.headrace.spi;

import java.util.List;

/**
 * A collator that takes the elements as they lie in a chunk, and may put the batch into batch
 * memory.
 */
public interface Assembler<A, B> extends Collator<A, B>, FunctionIdentity.Named {

  /**
   * Makes the batch of all elements of a chunk, none of which is a failure.
   *
   * @param budget where the batch may live, and what it may take
   */
  B assemble(Chunk elements, BatchBudget budget);

  /** The word users know a batch operator with this collator by. */
  default String word() {
    return "batch";
  }

  @Override
  default B collate(List<A> elements) {
    Chunk chunk = new Chunk();
    for (int i = 0; i < elements.size(); i++) {
      chunk.add(elements.get(i), null, i);
    }
    return assemble(chunk, BatchBudget.unlimited(word()));
  }
}
