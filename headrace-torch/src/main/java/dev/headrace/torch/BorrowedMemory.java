package dev.headrace.torch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.PointerConsumer;

/**
 * The memory of Headrace that PyTorch has under its own reference counts, and who is to be told
 * when a count has come down to nothing.
 *
 * <p><b>Threading:</b> safe for any number of threads; PyTorch lets go on whichever it likes.
 */
final class BorrowedMemory extends PointerConsumer {
  /* One function for all tensors: JavaCPP has room for ten of a class. PyTorch tells it the address
   * only, so what is held is found by that. Tensors that begin at one address are all of one batch,
   * since a retained slab is not lent again: which of their holds is closed first does not matter. */

  private static final BorrowedMemory INSTANCE = new BorrowedMemory();

  private final Map<Long, Deque<Runnable>> held = new HashMap<>();

  private BorrowedMemory() {}

  /** Notes that a tensor begins at {@code address}; gives what PyTorch is to call at its end. */
  static PointerConsumer hold(long address, Runnable release) {
    synchronized (INSTANCE.held) {
      INSTANCE.held.computeIfAbsent(address, _ -> new ArrayDeque<>()).add(release);
    }
    return INSTANCE;
  }

  @Override
  public void call(Pointer memory) {
    release(memory.address());
  }

  /** Tells one of those who hold memory at {@code address} that PyTorch is done with it. */
  static void release(long address) {
    Runnable release;
    synchronized (INSTANCE.held) {
      Deque<Runnable> holds = INSTANCE.held.get(address);
      if (holds == null) {
        return;
      }
      release = holds.remove();
      if (holds.isEmpty()) {
        INSTANCE.held.remove(address);
      }
    }
    release.run();
  }

  /** How many tensors of PyTorch are over memory of Headrace. */
  static int count() {
    synchronized (INSTANCE.held) {
      return INSTANCE.held.values().stream().mapToInt(Deque::size).sum();
    }
  }
}
