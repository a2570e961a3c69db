package dev.headrace.spi;

import dev.headrace.data.Lease;

/** Gives back the batch memory of elements that will not be delivered. */
public final class Leases {
  private Leases() {}

  /** Gives back what the elements of a chunk hold. */
  public static void giveBack(Chunk chunk, String why) {
    if (chunk.inLongs()) {
      return;
    }
    for (int i = 0; i < chunk.size(); i++) {
      giveBack(chunk.item(i), why);
    }
  }

  /** The batch memory that the elements of a chunk hold. */
  public static long bytesOf(Chunk chunk) {
    if (chunk.inLongs()) {
      return 0;
    }
    long[] bytes = new long[1];
    for (int i = 0; i < chunk.size(); i++) {
      Lease.forEachLease(chunk.item(i), lease -> bytes[0] += lease.byteSize());
    }
    return bytes[0];
  }

  /** Gives back what an element holds. */
  public static void giveBack(Object element, String why) {
    Lease.forEachLease(element, lease -> lease.giveBack(why));
  }
}
