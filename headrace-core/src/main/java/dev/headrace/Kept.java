package dev.headrace;

import dev.headrace.data.Lease;
import java.util.List;

/**
 * An element that stays valid until this is closed, whatever happens to the pipeline.
 *
 * <p><b>Ownership:</b> the memory is the holder's.
 */
public final class Kept<T> implements AutoCloseable {
  private final T value;
  private final List<Lease> leases;

  Kept(T value, List<Lease> leases) {
    this.value = value;
    this.leases = leases;
  }

  public T value() {
    return value;
  }

  @Override
  public void close() {
    leases.forEach(Lease::close);
  }
}
