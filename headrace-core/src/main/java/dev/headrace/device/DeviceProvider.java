package dev.headrace.device;

/**
 * Opens devices of one kind; found as a service, so that {@link Device#gpu} needs no dependency.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
public interface DeviceProvider {
  /** The kind, as in {@code cuda}. */
  String kind();

  /**
   * Opens the device of that number; each call gives one that is closed by itself.
   *
   * @throws DeviceException if there is none, saying in one sentence what is missing
   */
  Device open(int index);
}
