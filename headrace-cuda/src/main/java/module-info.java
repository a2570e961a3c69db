/** NVIDIA GPUs as devices. */
module dev.headrace.cuda {
  exports dev.headrace.cuda;

  requires transitive dev.headrace.core;
  requires static org.jspecify;

  provides dev.headrace.device.DeviceProvider with
      dev.headrace.cuda.CudaDeviceProvider;
}
