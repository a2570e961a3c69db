package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a consuming process at random points, 200 times in all, and resumes it from its last
 * checkpoint file with another parallelism: in the end everything was delivered exactly once.
 */
class KillTest {
  private static final int KILLS = 200;
  private static final int[] PARALLELISMS = {1, 2, 8};

  @Test
  void everythingIsDeliveredExactlyOnceAcrossKills(@TempDir Path folder) throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    int kills = 0;
    int pipelines = 0;
    for (long seed = 10_000; kills < KILLS; seed++) {
      Recipe recipe = Recipe.ordered(seed, 400);
      List<String> expected = KilledConsumer.expected(recipe);
      if (expected.size() < 40) {
        continue; // over before it could be killed
      }
      pipelines++;
      Path own = Files.createDirectory(folder.resolve("pipeline-" + seed));
      for (int attempt = 0; ; attempt++) {
        boolean kill = attempt < 14 && kills < KILLS;
        if (runOnce(recipe, seed, own, random, kill)) {
          break;
        }
        kills++;
      }
      assertThat(Files.readAllLines(own.resolve("log"))).as(recipe.toString()).isEqualTo(expected);
    }
    assertThat(kills).isEqualTo(KILLS);
    assertThat(pipelines).isGreaterThan(5);
  }

  /** Runs the consumer; true if it came to its end, false if it was killed before. */
  private static boolean runOnce(
      Recipe recipe, long seed, Path folder, SplittableRandom random, boolean kill)
      throws IOException, InterruptedException {
    int parallelism = PARALLELISMS[random.nextInt(PARALLELISMS.length)];
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                KilledConsumer.class.getName(),
                Long.toString(seed),
                Integer.toString(parallelism),
                folder.toString(),
                Integer.toString(1 + random.nextInt(7)))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (kill) {
      killOnceItHasWritten(process, folder.resolve("log"), random.nextInt(1, 60));
    }
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("%s hangs", recipe).isTrue();
    boolean done = process.exitValue() == 0;
    assertThat(done || kill)
        .as("%s ended by itself: %s", recipe, Files.readString(output))
        .isTrue();
    return done;
  }

  /** Kills the process a little after it has logged so many lines more than before. */
  private static void killOnceItHasWritten(Process process, Path log, int lines)
      throws IOException, InterruptedException {
    long before = Files.exists(log) ? Files.size(log) : 0;
    long started = 0;
    while (process.isAlive()) {
      long now = Files.exists(log) ? Files.size(log) : 0;
      started = now < before ? now : started; // the log was cut back to the checkpoint
      if (now >= Math.max(started, before / 2) + lines && now != before) {
        break;
      }
      TimeUnit.MICROSECONDS.sleep(200);
    }
    process.destroyForcibly();
  }
}
