package dev.headrace.spi;

/** What {@code shardByRank} does where the elements cannot be shared out evenly. */
public enum ShardMode {
  /** The last elements, fewer than there are ranks, are left out. */
  DROP,
  /** Ranks that would go without get the last element once more, as NVIDIA DALI pads. */
  PAD,
  /** Ranks that would go without get elements from the start again, as in PyTorch's sampler. */
  REPEAT
}
