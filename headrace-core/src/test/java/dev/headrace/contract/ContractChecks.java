package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.testing.PipelineContract;
import java.util.function.IntFunction;

/** What the contract tests share. */
final class ContractChecks {
  private ContractChecks() {}

  static <T> void check(IntFunction<Dataset<T>> dataset) {
    PipelineContract.of(dataset).check();
  }

  static long failsOnSevens(long x) {
    if (x % 7 == 3) {
      throw new IllegalStateException("no " + x);
    }
    return 2 * x;
  }
}
