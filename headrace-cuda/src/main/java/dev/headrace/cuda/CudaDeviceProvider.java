package dev.headrace.cuda;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceProvider;

/** Opens NVIDIA GPUs for {@link Device#gpu}. */
public final class CudaDeviceProvider implements DeviceProvider {
  /** For the service loader. */
  public CudaDeviceProvider() {}

  @Override
  public String kind() {
    return "cuda";
  }

  @Override
  public Device open(int index) {
    return CudaDevice.open(index);
  }
}
