package dev.headrace.spi;

/** A value that says itself what stands for it in the identity of a plan. */
public interface Identified {
  /**
   * What stands for this value: its content is hashed in place of the value's ({@link
   * ContentIdentity}). It must tell apart whatever gives other elements.
   */
  Object identity();
}
