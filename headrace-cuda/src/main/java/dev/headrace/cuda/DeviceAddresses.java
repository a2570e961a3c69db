package dev.headrace.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the device as segments that know their address and size, and throw when touched.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
final class DeviceAddresses {
  /* The host has nothing at a device's addresses: reading there would end the process. A segment in
   * a confined arena may be touched by one thread only, and that thread has ended, so that every
   * access throws a WrongThreadException and no cast of this class can change it.
   *
   * Such a segment must still keep an automatic arena alive, since the memory goes when that is
   * unreachable. A segment holds nothing but its scope, and the scope holds what is to be done when
   * it closes: which never happens, but may refer to what must stay alive.
   *
   * Only the owner can make a segment in a confined arena. So the thread makes one that spans all
   * addresses, of which others take slices. */

  private static final int MADE_AT_ONCE = 32;

  private static final ArrayDeque<Space> SPARE = new ArrayDeque<>();

  private DeviceAddresses() {}

  /** All addresses, in a scope of their own. */
  private record Space(MemorySegment all, Anchor anchor) {}

  /** What a scope keeps alive. */
  private static final class Anchor {
    private volatile @Nullable MemorySegment held;

    void ignore(MemorySegment ended) {}
  }

  /**
   * The memory at an address of the device.
   *
   * @param owner a segment of the arena that frees it
   */
  static MemorySegment at(long address, long bytes, MemorySegment owner) {
    Space space = take();
    space.anchor.held = owner;
    return space.all.asSlice(address, bytes);
  }

  private static synchronized Space take() {
    if (SPARE.isEmpty()) {
      List<Space> made = new ArrayList<>();
      Thread thread =
          Thread.ofPlatform()
              .name("headrace-cuda addresses")
              .daemon(true)
              .start(() -> makeInto(made));
      joinUninterruptibly(thread);
      SPARE.addAll(made);
    }
    return SPARE.removeFirst();
  }

  @SuppressWarnings("restricted") // never accessible, whatever it spans
  private static void makeInto(List<Space> made) {
    for (int i = 0; i < MADE_AT_ONCE; i++) {
      Anchor anchor = new Anchor();
      MemorySegment all =
          MemorySegment.NULL.reinterpret(Long.MAX_VALUE, Arena.ofConfined(), anchor::ignore);
      made.add(new Space(all, anchor));
    }
  }

  private static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
