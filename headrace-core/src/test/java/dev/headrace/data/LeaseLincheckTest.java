package dev.headrace.data;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** Give-back, keep, close and reading may meet in any order: one of them ends the lease, once. */
public class LeaseLincheckTest {
  private final Account account = new Account("native", 1 << 20);
  private final SlabPool pool = new SlabPool(account);
  private final Lease lease = pool.lease(64, "batch");
  private final Tensor tensor = lease.tensor(DType.INT64, Shape.of(1), 0);

  @Operation
  public boolean giveBack() {
    return lease.giveBack("next() was called");
  }

  @Operation
  public boolean keep() {
    try {
      return lease.keep().isLive();
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Operation
  public void close() {
    lease.close();
  }

  @Operation
  public boolean retain() {
    try (Lease.Retention _ = lease.retain()) {
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Operation
  public boolean read() {
    try {
      return tensor.longAt(0) == 0;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Validate
  public void theSlabIsSomewhereOnce() {
    long live = pool.liveLeases().isEmpty() ? 0 : 64;
    if (live + pool.freeBytes() + pool.keptBytes() != 64) {
      throw new IllegalStateException(
          "live %d, free %d, kept %d".formatted(live, pool.freeBytes(), pool.keptBytes()));
    }
    if (account.usedBytes() != live + pool.freeBytes()) {
      throw new IllegalStateException("on the account: " + account.usedBytes());
    }
  }

  @Test
  void endsOnce() {
    new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(2)
        .iterations(5)
        .invocationsPerIteration(100)
        .check(LeaseLincheckTest.class);
  }
}
