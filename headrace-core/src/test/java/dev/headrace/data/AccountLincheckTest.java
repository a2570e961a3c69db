package dev.headrace.data;

import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Every interleaving of reservations and releases must equal some order of them. */
@Param(name = "bytes", gen = LongGen.class, conf = "0:4")
public class AccountLincheckTest {
  private final Account account = new Account("native", 6);

  @Operation
  public boolean tryReserve(@Param(name = "bytes") long bytes) {
    return account.tryReserve(bytes);
  }

  @Operation
  public void reserve(@Param(name = "bytes") long bytes) {
    account.reserve(bytes);
  }

  @Operation
  public boolean release(@Param(name = "bytes") long bytes) {
    try {
      account.release(bytes);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Operation
  public long usedBytes() {
    return account.usedBytes();
  }

  @Test
  void isLinearizable() {
    new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(3)
        .iterations(10)
        .invocationsPerIteration(300)
        .check(AccountLincheckTest.class);
  }
}
