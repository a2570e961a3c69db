package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.data.Account;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What workers and consumers have in hand is charged for exactly as long as they have it. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
class InHandTest {
  private static final int MB = 1 << 20;

  @Test
  void theConsumersElementIsChargedUntilItAsksForTheNext() {
    Dataset<byte[]> dataset =
        Dataset.range(3)
            .map(i -> new byte[MB], 1)
            .options(Options.defaults().heapBudget(MB)); // nothing is read ahead beside it
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      Iterator<byte[]> elements = pipeline.iterator();
      elements.next();
      assertThat(pipeline.stats().memory().heapBytes()).isBetween((long) MB, 2L * MB);
      assertThat(elements.hasNext()).isTrue();
      assertThat(pipeline.stats().memory().heapBytes())
          .as("and the next one")
          .isGreaterThan(2L * MB);
      elements.next();
      elements.next();
      assertThat(elements.hasNext()).isFalse();
      assertThat(pipeline.stats().memory().heapBytes()).isZero();
    }
  }

  @Test
  void whatAStageIsMadeToPassOverIsNotCharged() {
    long[] calls = new long[1];
    Dataset<byte[]> everyFourth =
        Dataset.range(4000)
            .map(
                i -> {
                  calls[0]++; // an effect: all are made, and three of four are dropped
                  return new byte[10_000];
                },
                1)
            .shard(4, 1);
    try (Pipeline<byte[]> pipeline = everyFourth.open()) {
      Iterator<byte[]> elements = pipeline.iterator();
      while (elements.hasNext()) {
        elements.next();
      }
      assertThat(pipeline.stats().memory().heapBytes()).isZero();
      assertThat(calls[0]).isGreaterThan(3990);
    }
  }

  @Test
  void pipelinesThatWereReadToTheEndLeaveTheirRoomToOthers() {
    List<Pipeline<byte[]>> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Pipeline<byte[]> pipeline = Dataset.range(2).map(x -> new byte[MB], 1).open();
        idle.add(pipeline);
        pipeline.iterator().forEachRemaining(x -> {});
      }
      assertThat(ProcessMemory.nextBytesBut(0)).isZero();
      assertThat(ProcessMemory.HEAP.usedBytes()).isZero();
    } finally {
      idle.forEach(Pipeline::close);
    }
  }

  @Test
  void nothingCanBeTakenOfAnAccountThatIsPassed() {
    Account whole = new Account("heap", 10);
    Account part = new Account("stage", Long.MAX_VALUE, whole);
    part.buffer(20);
    assertThat(part.tryBuffer(0)).as("or a stage that needs none would ask for ever").isTrue();
    assertThat(part.tryBuffer(1)).isFalse();
  }

  /** Workers of another kind take the places of those that were there when memory was short. */
  @Test
  void aCrewThatIsShortOfMemoryKeepsALookOut() throws InterruptedException {
    AtomicReference<WorkerCrew> seen = new AtomicReference<>();
    Dataset<byte[]> dataset =
        Dataset.range(50)
            .map(
                i -> {
                  seen.set(WorkerCrew.ofCurrentThread());
                  return new byte[4 * MB];
                },
                2);
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      Iterator<byte[]> elements = pipeline.iterator();
      elements.next();
      WorkerCrew crew = seen.get();
      long limit = ProcessMemory.HEAP.limitBytes();
      Overdraft other = new Overdraft(ProcessMemory.TURNS);
      ProcessMemory.HEAP.buffer(3 * limit);
      Thread consumer;
      try {
        other.consumerWaits(true);
        other.tryBuffer(new Account("other", Long.MAX_VALUE), limit); // it has the turn
        crew.resize(2, !crew.isVirtual(), 1);
        Thread.sleep(50); // the old ones leave
        consumer = Thread.ofPlatform().start(() -> elements.forEachRemaining(x -> {}));
        Thread.sleep(50); // it waits, and it is not its turn
      } finally {
        ProcessMemory.HEAP.unbuffer(3 * limit);
        other.consumerWaits(false);
      }
      consumer.join(); // ends by the timeout if no worker is left to look
    }
  }

  @Test
  void aConsumerIsToldOfAHeapThatWasFullToTheBrim() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            FullHeapProgram.class.getName());
    Process process = builder.redirectErrorStream(true).start();
    assertThat(output(process)).contains("told: OutOfMemoryError");
    assertThat(process.waitFor()).isZero();
  }

  private static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
