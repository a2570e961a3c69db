package dev.headrace.cuda;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Tensor;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Programs in a JVM of their own: for what must not happen in this one. */
final class Child {
  private Child() {}

  /** What a program says, and how it ended. */
  record Outcome(int code, String output) {}

  /** Runs the main method of a class of these tests. */
  static Outcome run(Class<?> program, String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", classPath(), program.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  /** Not that of this JVM, which a launcher may have hidden in a class loader. */
  private static String classPath() {
    Set<String> places = new LinkedHashSet<>();
    for (Class<?> type : List.of(CudaDevice.class, Tensor.class, Child.class)) {
      try {
        places.add(
            Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
      } catch (URISyntaxException e) {
        throw new AssertionError(e);
      }
    }
    return String.join(File.pathSeparator, places);
  }
}
