package dev.headrace.spi;

/** A source of nanoseconds since some fixed moment; tests turn one by hand. */
@FunctionalInterface
public interface NanoClock {
  /** The machine's own clock. */
  NanoClock SYSTEM = System::nanoTime;

  long nanoTime();
}
