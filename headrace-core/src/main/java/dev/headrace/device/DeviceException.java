package dev.headrace.device;

import org.jspecify.annotations.Nullable;

/** Something went wrong on a device; the message begins with its name. */
public class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String device;
  private final String reason;

  /**
   * An error of the device of that name.
   *
   * @param message what was expected, what came, what to do
   */
  public DeviceException(String device, String message, @Nullable Throwable cause) {
    super("device " + device + ": " + message, cause);
    this.device = device;
    this.reason = message;
  }

  /** The name of the device. */
  public String device() {
    return device;
  }

  /** What went wrong, without the name of the device. */
  public String reason() {
    return reason;
  }
}
