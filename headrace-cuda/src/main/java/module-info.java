/** NVIDIA GPUs as devices. */
module dev.headrace.cuda {
  exports dev.headrace.cuda;

  // What a function captured is known by its content.
  opens dev.headrace.cuda to
      dev.headrace.core;

  requires transitive dev.headrace.core;
  requires static org.jspecify;

  provides dev.headrace.device.DeviceProvider with
      dev.headrace.cuda.CudaDeviceProvider;
}
