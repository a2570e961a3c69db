package dev.headrace.spi;

import dev.headrace.data.SlabPool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A collator that takes the elements as they lie in a chunk, and may put the batch into batch
 * memory.
 */
public interface Assembler<A, B> extends Collator<A, B>, FunctionIdentity.Named {

  /**
   * Makes the batch of all elements of a chunk, none of which is a failure.
   *
   * @param slabs where the batch may live, or null for memory of its own
   * @param owner who asks, as leak reports name it
   */
  B assemble(Chunk elements, @Nullable SlabPool slabs, String owner);

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
    return assemble(chunk, null, word());
  }
}
