package dev.headrace.runtime;

import dev.headrace.data.Account;
import dev.headrace.data.SlabPool;
import dev.headrace.profile.Profile;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Leases;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a pipeline may take of the heap and off it, and what is left of that for reading ahead.
 *
 * <p>Elements lie on the heap, batches off it. Where one budget holds for both, stages that read
 * ahead leave room for each other: elements for two batches, batches for the elements they are made
 * of.
 *
 * <p>Both are parts of what all pipelines of the process may take ({@link ProcessMemory}).
 *
 * <p><b>Threading:</b> safe.
 *
 * <p><b>Ownership:</b> the pipeline's; closing it fails, naming owners, if a batch was not given
 * back.
 */
public final class MemoryBudget {
  /** A chunk that was large once is expected again for some hundred chunks. */
  private static final int FADING_SHIFT = 7;

  private final Settings settings;
  private final boolean isShared;
  private final Account together;
  private final Account heap;
  private final Account nativeAccount;
  private final SlabPool slabs;
  private final Overdraft overdraft = new Overdraft(ProcessMemory.TURNS);

  /** What batches that are being made will take. */
  private final AtomicLong promised = new AtomicLong();

  /** What the consumer's next chunk is expected to take; 0 before the first and after closing. */
  private volatile long nextBytes;

  private volatile boolean deviceMemoryIsLent;

  MemoryBudget(Settings settings, SlabPool.Source source) {
    long limit = settings.memoryBudget();
    this.isShared = limit - settings.heapBudget() < settings.nativeBudget();
    this.together = new Account("memory", isShared ? limit : Long.MAX_VALUE);
    this.settings = settings;
    this.heap =
        new Account("heap", Math.min(settings.heapBudget(), limit), together, ProcessMemory.HEAP);
    this.nativeAccount =
        new Account(
            "native", Math.min(settings.nativeBudget(), limit), together, ProcessMemory.OFF_HEAP);
    this.slabs =
        settings.strictBatches()
            ? SlabPool.ofEveryBatch(nativeAccount, source)
            : new SlabPool(nativeAccount, source);
    nativeAccount.addSpareHolder(slabs); // also of the process: others may need it
    ProcessMemory.opened(settings); // last: nothing may fail that would leave it open
  }

  /** The heap, which elements lie on. */
  public Account heap() {
    return heap;
  }

  /** Memory off the heap, which batches are assembled in. */
  public Account nativeAccount() {
    return nativeAccount;
  }

  /** Heap and native memory together. */
  public Account together() {
    return together;
  }

  SlabPool slabs() {
    return slabs;
  }

  /** Takes note that elements may hold memory of a device. */
  void lendsDeviceMemory() {
    deviceMemoryIsLent = true;
  }

  /** Whether elements may hold memory that is to be given back. */
  public boolean mayBeLent() {
    return deviceMemoryIsLent || nativeAccount.usedBytes() > 0;
  }

  /** Whether one more element of this weight fits the accounts. */
  boolean admits(long heapBytes, long slabBytes) {
    return (heapBytes == 0 || heapBytes <= heapRoom())
        && (slabBytes == 0 || slabBytes <= nativeRoom());
  }

  /**
   * What elements may take of the heap; where memory is shared, so that two batches find room off
   * it: one is trained on while another is assembled.
   */
  private long heapRoom() {
    long own =
        Math.min(
            heap.limitBytes() - heap.usedBytes(),
            ProcessMemory.HEAP.freeBytes() - ProcessMemory.nextBytesBut(nextBytes));
    if (!isShared) {
      return own;
    }
    long largest = slabs.largestBytes();
    if (largest == 0) { // how large batches are, or whether there are any, is not known yet
      long buffered = heap.bufferedBytes();
      return Math.min(own, (own + buffered) / 4 * 3 - buffered);
    }
    long two = Math.min(2 * largest, together.limitBytes() / 4 * 3);
    long batches = Math.max(promised.get(), two - nativeAccount.usedBytes());
    return Math.min(own, together.freeBytes() - Math.max(0, batches));
  }

  /** What batches may take, so that elements keep what they have needed, up to a quarter. */
  private long nativeRoom() {
    long own =
        Math.min(
            nativeAccount.limitBytes() - nativeAccount.usedBytes(),
            ProcessMemory.OFF_HEAP.freeBytes());
    if (isShared) {
      long elements = Math.min(together.limitBytes() / 4, heap.peakBytes()) - heap.usedBytes();
      own = Math.min(own, together.freeBytes() - promised.get() - Math.max(0, elements));
    }
    return own + slabs.freeBytes();
  }

  /**
   * The consumer has been handed a chunk that is charged with so many bytes. Reading ahead of other
   * pipelines leaves room for one more like it in the process's account: consumers hold an element
   * while they wait for the next.
   */
  void delivered(long chunkBytes) {
    long before = nextBytes;
    expect(Math.max(chunkBytes, before - (before >> FADING_SHIFT)));
  }

  /** The consumer has come to the end of a pass, and holds nothing of it. */
  void passEnded() {
    expect(0);
  }

  private synchronized void expect(long bytes) {
    if (bytes != nextBytes) {
      ProcessMemory.addNextBytes(bytes - nextBytes);
      nextBytes = bytes;
    }
  }

  /** How elements that are waited for pass a full account. */
  Overdraft overdraft() {
    return overdraft;
  }

  /**
   * Keeps memory for a chunk of at most {@code most} elements of this weight in {@code account}, a
   * part of the heap's; returns for how many it is, or 0 if not even one fits.
   */
  int tryBuffer(Account account, int most, double heapBytesEach, double slabBytesEach) {
    int count = (int) Math.min(most, room(heapBytesEach, slabBytesEach));
    while (count > 0 && !account.tryBuffer((long) (count * heapBytesEach))) {
      count /= 2; // another stage was faster
    }
    return count;
  }

  /** Batches of so many bytes will be made; returns for how many of them memory will be taken. */
  long promise(long bytes) {
    long more = bytes == 0 || !isShared ? 0 : Math.max(0, bytes - slabs.freeBytes());
    promised.addAndGet(more);
    return more;
  }

  /** They were made, or will not be. */
  void keptPromise(long bytes) {
    promised.addAndGet(-bytes);
  }

  /** How many elements of this weight fit the accounts; at least none. */
  long room(double heapBytesEach, double slabBytesEach) {
    double onHeap = heapBytesEach < 1 ? Long.MAX_VALUE : heapRoom() / heapBytesEach;
    double offHeap = slabBytesEach < 1 ? Long.MAX_VALUE : nativeRoom() / slabBytesEach;
    return (long) Math.max(0, Math.min(onHeap, offHeap));
  }

  /** The batch memory that the elements of a chunk hold. */
  long slabBytesOf(Chunk chunk) {
    return nativeAccount.usedBytes() == 0 ? 0 : Leases.bytesOf(chunk);
  }

  /** What is taken of it now, and was at most. */
  Profile.Memory use() {
    return new Profile.Memory(
        heap.usedBytes(),
        heap.peakBytes(),
        heap.limitBytes(),
        nativeAccount.usedBytes(),
        nativeAccount.peakBytes(),
        nativeAccount.limitBytes(),
        together.limitBytes());
  }

  void close() {
    overdraft.consumerWaits(false);
    expect(0);
    try {
      slabs.close();
    } finally {
      nativeAccount.removeSpareHolder(slabs);
      heap.leaveWholes();
      nativeAccount.leaveWholes();
      ProcessMemory.closed(settings);
    }
  }
}
