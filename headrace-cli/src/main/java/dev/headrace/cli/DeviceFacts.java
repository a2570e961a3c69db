package dev.headrace.cli;

import dev.headrace.device.Device;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a device is, in words: its chip, its driver, the libraries that were found for it. */
final class DeviceFacts {
  private DeviceFacts() {}

  /** Names and values, in the order in which they are shown. */
  static Map<String, String> of(Device device) {
    return new LinkedHashMap<>();
  }
}
