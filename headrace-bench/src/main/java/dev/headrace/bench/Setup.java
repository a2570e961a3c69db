package dev.headrace.bench;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a scenario is to be run.
 *
 * @param pairs how many interleaved measurements make one row
 * @param peer tf.data, where it is asked for and available
 * @param torch PyTorch's DataLoader, where it is asked for and available
 * @param progress told what is being measured
 */
public record Setup(
    int pairs, @Nullable TfData peer, @Nullable Torch torch, Consumer<String> progress) {
  /** Fewer have no 95 % interval worth its name. */
  public static final int LEAST_PAIRS = 9;

  public Setup {
    if (pairs < 1) {
      throw new IllegalArgumentException("pairs: expected at least 1, but got " + pairs);
    }
  }
}
