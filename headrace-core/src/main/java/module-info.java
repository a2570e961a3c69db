/** The Headrace engine: describe a dataset, open it, and see why it is as fast as it is. */
module dev.headrace.core {
  exports dev.headrace;
  exports dev.headrace.data;
  exports dev.headrace.data.image;
  exports dev.headrace.device;
  exports dev.headrace.example;
  exports dev.headrace.profile;
  exports dev.headrace.spi;
  exports dev.headrace.testing;
  exports dev.headrace.text;

  // Where files lie besides the local file system.
  uses dev.headrace.spi.Store;

  // Who opens GPUs.
  uses dev.headrace.device.DeviceProvider;

  // Each of these adds a feature and is missed by name, never needed.
  requires static java.management;
  requires static jdk.incubator.vector;
  requires static jdk.jfr;
  requires static jdk.management;
  requires static org.jspecify;
  requires static org.junit.jupiter.api;
}
