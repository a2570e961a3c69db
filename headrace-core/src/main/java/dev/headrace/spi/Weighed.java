package dev.headrace.spi;

/** Something that knows how many bytes it keeps alive on the heap, for the {@link Weigher}. */
public interface Weighed {
  long heapBytes();
}
