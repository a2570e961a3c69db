package dev.headrace.spi;

/** Something that describes a pipeline; what a function given to {@code interleave} returns. */
public interface Plan<T> {
  /** The last operator of the plan. */
  Op op();
}
