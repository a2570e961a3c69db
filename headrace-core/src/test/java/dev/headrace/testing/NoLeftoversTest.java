package dev.headrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A thread that another test left is there all the time, and is no test's fault here. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
final class NoLeftoversTest {
  private static final Thread OF_ANOTHER_TEST = waiting("headrace-of-another-test");

  private static Thread waiting(String name) {
    return Thread.ofPlatform()
        .name(name)
        .daemon()
        .unstarted(
            () -> {
              while (!Thread.interrupted()) {
                LockSupport.park();
              }
            });
  }

  @BeforeAll
  static void anotherTestLeavesAThread() {
    OF_ANOTHER_TEST.start();
  }

  @AfterAll
  static void endIt() throws InterruptedException {
    OF_ANOTHER_TEST.interrupt();
    OF_ANOTHER_TEST.join();
  }

  @Test
  void doesNotBlameATestForWhatWasThereBefore() {
    assertThat(LeftoverThreads.names()).contains("headrace-of-another-test");
  }

  @Test
  void blamesATestForWhatItLeaves() throws InterruptedException {
    Set<Thread> before = LeftoverThreads.all();
    Thread left = waiting("headrace-left");
    left.start();
    assertThat(LeftoverThreads.namesBeside(before)).containsExactly("headrace-left");

    left.interrupt();
    left.join();
    assertThat(LeftoverThreads.namesBeside(before)).isEmpty();
  }
}
