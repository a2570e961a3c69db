package dev.headrace.device;

/** A device has no room for what was to be allocated. */
public final class DeviceMemoryException extends DeviceException {
  private static final long serialVersionUID = 1;

  private final long wantedBytes;

  /** There was no room for {@code wantedBytes}. */
  public DeviceMemoryException(String device, long wantedBytes, long usedBytes, long limitBytes) {
    super(
        device,
        "expected room for %,d bytes, but %,d of %,d are in use; use smaller batches or a smaller buffer"
            .formatted(wantedBytes, usedBytes, limitBytes),
        null);
    this.wantedBytes = wantedBytes;
  }

  /** How much was to be allocated. */
  public long wantedBytes() {
    return wantedBytes;
  }
}
