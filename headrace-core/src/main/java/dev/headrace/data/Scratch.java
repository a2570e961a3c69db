package dev.headrace.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory for what lies between two steps of a computation: native, and used again and again.
 *
 * <p>It is taken like stack frames: what was taken last is given back first, with
 * try-with-resources.
 *
 * <p><b>Threading:</b> of the thread that takes it. <b>Ownership:</b> a frame's memory is valid
 * until the frame is closed; the memory behind it then waits for the next thread that needs some.
 */
public final class Scratch implements AutoCloseable {
  /** What is kept in one piece at most; more than that is taken and given back each time. */
  private static final long MOST_KEPT_BYTES = 64L << 20;

  /**
   * How many pieces wait for use; more threads than cores gain nothing from pieces of their own.
   */
  private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

  private static final int ALIGNMENT = 64;

  /** The memory of a thread while it has frames; virtual threads may be too many to keep theirs. */
  private static final ThreadLocal<@Nullable Stack> CURRENT = new ThreadLocal<>();

  private static final ArrayDeque<Stack> IDLE = new ArrayDeque<>();

  private final Stack stack;
  private final long before;
  private final MemorySegment memory;
  private final @Nullable Arena own;

  private Scratch(Stack stack, long before, MemorySegment memory, @Nullable Arena own) {
    this.stack = stack;
    this.before = before;
    this.memory = memory;
    this.own = own;
  }

  /** Takes {@code bytes} of memory, aligned to 64 bytes and not zeroed. */
  public static Scratch take(long bytes) {
    Stack stack = current();
    long before = stack.top;
    stack.frames++;
    Arena arena = null;
    try {
      MemorySegment room = stack.room(bytes);
      if (room == null) {
        arena = Arena.ofConfined();
        room = arena.allocate(Math.max(1, bytes), ALIGNMENT);
      }
      return new Scratch(stack, before, room, arena);
    } catch (Throwable e) {
      leave(stack, before);
      if (arena != null) {
        arena.close();
      }
      throw e;
    }
  }

  private static Stack current() {
    Stack stack = CURRENT.get();
    if (stack == null) {
      synchronized (IDLE) {
        stack = IDLE.pollLast();
      }
      stack = stack == null ? new Stack() : stack;
      CURRENT.set(stack);
    }
    return stack;
  }

  private static void leave(Stack stack, long before) {
    stack.top = before;
    if (--stack.frames == 0) {
      CURRENT.remove();
      synchronized (IDLE) {
        if (IDLE.size() < MOST_IDLE) {
          IDLE.addLast(stack);
        }
      }
    }
  }

  /** The memory, at least as large as asked for. */
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void close() {
    leave(stack, before);
    if (own != null) {
      own.close();
    }
  }

  private static final class Stack {
    private MemorySegment kept = MemorySegment.NULL;
    private long top;
    private int frames;

    /** Room on the stack, or null where it does not fit. */
    @Nullable MemorySegment room(long bytes) {
      long from = top;
      long end = from + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      if (end > kept.byteSize()) {
        if (from != 0 || end > MOST_KEPT_BYTES) {
          return null; // what was taken before must stay where it is
        }
        long size = Math.min(MOST_KEPT_BYTES, Math.max(1 << 20, Long.highestOneBit(end) * 2));
        kept = Arena.ofAuto().allocate(size, ALIGNMENT);
      }
      top = end;
      return kept.asSlice(from, bytes);
    }
  }
}
