package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.SeenElements;
import dev.headrace.Training;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a training process at random steps, every other time politely, and starts it again with
 * another parallelism: in the end the model was trained on everything exactly once an epoch, in
 * order.
 */
class KilledTrainingTest {
  private static final int KILLS = 10;

  @Test
  void everythingIsTrainedOnExactlyOnceAcrossKills(@TempDir Path folder) throws Exception {
    SeenElements undisturbed = new SeenElements();
    Training.fit(undisturbed, KilledTraining.dataset(1), Training.epochs(KilledTraining.EPOCHS));
    SplittableRandom random = new SplittableRandom(11);
    for (int kill = 0; kill < KILLS; kill++) {
      long before = savedSteps(folder);
      Process process = start(folder, random);
      awaitSteps(process, folder.resolve("log"), random.nextInt(1, 40));
      if (kill % 2 == 0) {
        process.destroyForcibly();
      } else {
        process.destroy(); // as Ctrl-C: it may write where it is
      }
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).as(output(folder)).isNotZero();
      if (kill % 2 == 1) {
        long made = Files.size(folder.resolve("log"));
        assertThat(savedSteps(folder)).as("no step is lost").isEqualTo(before + made);
      }
    }
    assertThat(folder.resolve("seen")).doesNotExist();
    Process process = start(folder, random);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(output(folder)).isZero();
    assertThat(Files.readAllLines(folder.resolve("seen")))
        .isEqualTo(KilledTraining.lines(undisturbed));
  }

  private static long savedSteps(Path folder) throws IOException {
    Path file = folder.resolve("checkpoint");
    if (!Files.exists(file)) {
      return 0;
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    return Long.parseLong(text.lines().skip(1).findFirst().orElseThrow().replace("steps ", ""));
  }

  private static String output(Path folder) throws IOException {
    return Files.readString(folder.resolve("output"));
  }

  private static Process start(Path folder, SplittableRandom random) throws IOException {
    Files.deleteIfExists(folder.resolve("log"));
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                KilledTraining.class.getName(),
                Integer.toString(1 + random.nextInt(4)),
                folder.toString(),
                Integer.toString(1 + random.nextInt(9))))
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }

  /** Returns once the process has made so many steps, or has ended. */
  private static void awaitSteps(Process process, Path log, int steps)
      throws IOException, InterruptedException {
    while (process.isAlive() && (!Files.exists(log) || Files.size(log) < steps)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
