package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class CallingThreadTest {
  /** More calls than until a second thread was tried and compared. */
  private static final int ENOUGH = 45;

  private final AtomicLong clock = new AtomicLong();

  /** The threads that calls were made in, in the order of their first. */
  private final List<Thread> threads = new ArrayList<>();

  /** How long a piece takes, by the number of the thread. */
  private volatile ToLongFunction<Integer> nsPerPiece = _ -> 100;

  /** What calls return. */
  private volatile int status;

  /** Of the thread that made the latest call. */
  private volatile int number;

  private CallingThread calling() {
    return new CallingThread("test", clock::get);
  }

  /** Makes calls of four pieces; in which thread the last of them was made. */
  private int calls(CallingThread calling, int count) {
    int last = -1;
    for (int i = 0; i < count; i++) {
      int _ =
          calling.call(
              () -> {
                Thread current = Thread.currentThread();
                if (!threads.contains(current)) {
                  threads.add(current);
                }
                number = threads.indexOf(current);
                clock.addAndGet(4 * nsPerPiece.applyAsLong(number));
                return status;
              },
              4);
      last = number;
    }
    return last;
  }

  private static boolean ends(Thread thread) throws InterruptedException {
    return thread.join(Duration.ofSeconds(30));
  }

  @Test
  void aFasterThreadGoesOn() throws InterruptedException {
    nsPerPiece = number -> number == 0 ? 200 : 90;
    try (CallingThread calling = calling()) {
      assertThat(calls(calling, 3)).isZero();
      assertThat(calls(calling, ENOUGH)).isEqualTo(1);
      assertThat(ends(threads.getFirst())).as("the slow one").isTrue();
    }
  }

  @Test
  void aThreadThatIsNotMuchFasterEnds() throws InterruptedException {
    nsPerPiece = number -> number == 0 ? 100 : 90;
    try (CallingThread calling = calling()) {
      assertThat(calls(calling, ENOUGH)).isZero();
      assertThat(threads).hasSize(2);
      assertThat(ends(threads.get(1))).isTrue();
      calls(calling, 2 * ENOUGH);
      assertThat(threads).as("the next trial is later").hasSize(2);
    }
  }

  @Test
  void anotherOneIsTriedSoonWhereCallsBecomeSlower() {
    try (CallingThread calling = calling()) {
      assertThat(calls(calling, ENOUGH)).isZero();
      nsPerPiece = number -> number == 0 ? 250 : 100;
      assertThat(calls(calling, 30)).isEqualTo(2);
    }
  }

  @Test
  void callsOfTwoKindsInTurnAreNoReasonToChange() {
    AtomicLong count = new AtomicLong();
    nsPerPiece = _ -> count.incrementAndGet() % 2 == 0 ? 300 : 100;
    try (CallingThread calling = calling()) {
      calls(calling, 1_000);
      assertThat(threads.size()).isLessThan(6);
      assertThat(calls(calling, 1)).isZero();
    }
  }

  @Test
  void callsThatFailTellNothing() {
    nsPerPiece = number -> number == 0 ? 100 : 10;
    status = 5;
    try (CallingThread calling = calling()) {
      calls(calling, 5 * ENOUGH);
      assertThat(threads.getFirst().isAlive()).as("not compared").isTrue();
    }
  }

  @Test
  void callsThatAreSlowerEverywhereAreTriedOnce() {
    try (CallingThread calling = calling()) {
      calls(calling, ENOUGH);
      nsPerPiece = _ -> 300; // larger images, say
      calls(calling, 2 * ENOUGH);
      assertThat(threads).hasSize(3);
      assertThat(calls(calling, 1)).isZero();
    }
  }

  @Test
  void whatACallThrowsIsThrown() {
    try (CallingThread calling = calling()) {
      IllegalStateException failure = new IllegalStateException("refused");
      assertThatThrownBy(
              () ->
                  calling.call(
                      () -> {
                        throw failure;
                      },
                      1))
          .isSameAs(failure);
      assertThat(calls(calling, 1)).as("and it goes on").isZero();
    }
  }

  @Test
  void anInterruptedThreadWaitsForItsCall() throws InterruptedException {
    try (CallingThread calling = calling()) {
      CountDownLatch isBegun = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      List<Object> seen = new ArrayList<>();
      Thread caller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    seen.add(
                        calling.call(
                            () -> {
                              isBegun.countDown();
                              await(mayEnd);
                              return 7;
                            },
                            1));
                    seen.add(Thread.currentThread().isInterrupted());
                  });
      isBegun.await();
      caller.interrupt();
      mayEnd.countDown();
      caller.join();
      assertThat(seen).containsExactly(7, true);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void afterClosingItRefuses() throws InterruptedException {
    CallingThread calling = calling();
    calls(calling, 1);
    calling.close();
    assertThat(ends(threads.getFirst())).isTrue();
    assertThatThrownBy(() -> calls(calling, 1)).isInstanceOf(IllegalStateException.class);
  }
}
