package dev.headrace.device;

import dev.headrace.data.Plural;

/** A device has no room for what was to be allocated. */
public final class DeviceMemoryException extends DeviceException {
  private static final long serialVersionUID = 1;

  private final long wantedBytes;

  /** There was no room for {@code wantedBytes}. */
  public DeviceMemoryException(String device, long wantedBytes, long usedBytes, long limitBytes) {
    super(
        device,
        "expected room for %s, but %,d of %,d %s in use; use smaller batches or a smaller buffer"
            .formatted(
                Plural.of(wantedBytes, "byte"),
                usedBytes,
                limitBytes,
                usedBytes == 1 ? "is" : "are"),
        null);
    this.wantedBytes = wantedBytes;
  }

  /** How much was to be allocated. */
  public long wantedBytes() {
    return wantedBytes;
  }
}
