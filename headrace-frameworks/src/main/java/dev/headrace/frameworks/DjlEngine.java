package dev.headrace.frameworks;

import java.nio.file.Path;

/** How DJL is to behave in a measurement. */
final class DjlEngine {
  private DjlEngine() {}

  /** Sets what is not set: no download, no report to its makers, libraries unpacked here. */
  static void configure() {
    set("ai.djl.offline", "true");
    set("OPT_OUT_TRACKING", "true");
    // Threads of one operation wait for each other, busily; where others decode, they wait for
    // those.
    set("ai.djl.pytorch.num_threads", "1");
    if (System.getenv("DJL_CACHE_DIR") == null) {
      set(
          "DJL_CACHE_DIR",
          Path.of(System.getProperty("java.io.tmpdir"), "headrace-djl").toString());
    }
  }

  private static void set(String name, String value) {
    if (System.getProperty(name) == null) {
      System.setProperty(name, value);
    }
  }
}
