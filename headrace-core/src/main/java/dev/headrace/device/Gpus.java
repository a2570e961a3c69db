package dev.headrace.device;

import java.util.ServiceLoader;

/** Finds who opens GPUs. */
final class Gpus {
  private Gpus() {}

  static Device open(int index) {
    for (DeviceProvider provider :
        ServiceLoader.load(DeviceProvider.class, Gpus.class.getClassLoader())) {
      return provider.open(index);
    }
    throw new DeviceException(
        "gpu:" + index,
        "expected the module headrace-cuda, which opens GPUs, but it is not on the class path; add"
            + " the dependency dev.headrace:headrace-cuda",
        null);
  }
}
