package dev.headrace.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.op.PrefetchOp;
import dev.headrace.op.RangeOp;
import dev.headrace.profile.OpNode;
import dev.headrace.profile.Snapshot;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Sampled;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A pipeline of which only the counters exist: reading takes so long, training so long. */
class TunerTest {
  private static final long MS = 1_000_000;

  private final Op range = new RangeOp(0, 1_000_000, 1, Site.UNKNOWN);
  private final Op prefetch = new PrefetchOp(range, Parallelism.IF_IT_HELPS, Site.UNKNOWN);
  private final List<OpNode> nodes = List.of(new OpNode("0", prefetch), new OpNode("0.0", range));

  private final List<String> log = new ArrayList<>();
  private final Tuner tuner =
      new Tuner(
          new Decisions() {
            @Override
            public int turned(
                String operator, String knob, int before, int after, String why, double predicted) {
              log.add("%s %d -> %d, predicted %.2f".formatted(knob, before, after, predicted));
              return log.size();
            }

            @Override
            public void measured(int decision, double gain, boolean kept) {
              log.add("measured %.2f, %s".formatted(gain, kept ? "kept" : "taken back"));
            }
          });

  private final Line line = new Line();

  private static final class Line implements Switch {
    boolean on;

    @Override
    public String key() {
      return "0";
    }

    @Override
    public String operator() {
      return "prefetch";
    }

    @Override
    public boolean onlyReadsAhead() {
      return true;
    }

    @Override
    public boolean isOn() {
      return on;
    }

    @Override
    public void turn(boolean to) {
      on = to;
    }
  }

  private long atNs;
  private long delivered;
  private long stepNs;
  private long insideNs;

  /** Lets elements pass; with a thread of its own reading costs the consumer {@code leftNs}. */
  private void run(int elements, long readNs, long trainNs, long leftNs) {
    for (int i = 0; i < elements; i++) {
      long inside = line.on ? leftNs : readNs;
      atNs += inside + trainNs;
      insideNs += inside;
      stepNs += trainNs;
      delivered++;
      tuner.visit(snapshot(), nodes, 2, List.of(line));
    }
  }

  private Snapshot snapshot() {
    return new Snapshot(
        atNs,
        0,
        delivered,
        new Snapshot.Consumer(
            stepNs, new Sampled(stepNs, 0), insideNs, new Sampled(insideNs, insideNs), 0),
        new Snapshot.Memory(0, 0),
        new Snapshot.Machine(-1, 0, 0, 0, 0),
        List.of(counters(), counters()));
  }

  private OpCounters counters() {
    return new OpCounters(
        new OpCounters.Calls(
            delivered,
            0,
            insideNs,
            new OpCounters.Timed(delivered, insideNs, 0),
            new Sampled(insideNs, insideNs),
            OpCounters.Later.NONE,
            OpCounters.Sizes.NONE),
        OpCounters.Crew.NONE,
        null,
        null,
        null);
  }

  @Test
  void aThreadThatHelpsIsKept() {
    run(1000, 5 * MS, 5 * MS, 0);
    assertThat(line.on).isTrue();
    assertThat(log).containsExactly("threads 0 -> 1, predicted 2.00", "measured 2.00, kept");
  }

  @Test
  void aThreadThatDoesNotHelpIsTakenBackAndTriedAgainMuchLater() {
    run(150, 5 * MS, 5 * MS, 5 * MS);
    assertThat(line.on).isFalse();
    assertThat(log).containsExactly("threads 0 -> 1, predicted 2.00", "measured 1.00, taken back");
    run(2_000, 5 * MS, 5 * MS, 5 * MS);
    assertThat(log.stream().filter(said -> said.startsWith("measured"))).hasSizeBetween(2, 3);
  }

  @Test
  void whatOnlySeemedToHelpWhileCodeWasCompiledIsTakenBack() {
    run(4_000, MS / 20, MS / 20, 0); // then it turns out that both are faster, threads or not
    assertThat(line.on).isTrue();
    run(400_000, MS / 100, MS / 100, MS / 100);
    assertThat(line.on).isFalse();
    assertThat(log.getLast()).isEqualTo("measured 1.00, taken back");
  }

  /** A thread that helped at first, and then makes all slower than it was without any. */
  @Test
  void whatEndsSlowerThanTheStartIsTakenBack() {
    run(400, 5 * MS, 5 * MS, 0);
    assertThat(line.on).isTrue();
    run(2_000, 5 * MS, 5 * MS, 9 * MS);
    assertThat(line.on).isFalse();
    assertThat(log)
        .containsSubsequence(
            "measured 2.00, kept", "threads 1 -> 0, predicted 0.00", "measured 1.40, kept");
  }

  @Test
  void whereElementsTakeLongerForAnotherReasonThreadsStay() {
    run(400, 5 * MS, 5 * MS, 0);
    run(2_000, 20 * MS, 15 * MS, 0);
    assertThat(line.on).isTrue();
    assertThat(log.getLast()).endsWith("taken back");
  }

  @Test
  void nothingIsTriedWhereReadingTakesNoTime() {
    run(1_000, 10_000, 5 * MS, 0);
    assertThat(log).isEmpty();
  }

  @Test
  void nothingIsTriedWhereTheConsumerDoesNothingElse() {
    run(1_000, 5 * MS, 10_000, 0);
    assertThat(log).isEmpty();
  }

  @Test
  void nothingIsTriedForElementsThatAreCheaperThanHandingThemOver() {
    for (int i = 0; i < 100; i++) {
      delivered += 1_000_000;
      atNs += 100 * MS;
      insideNs += 50 * MS;
      stepNs += 50 * MS;
      tuner.visit(snapshot(), nodes, 2, List.of(line));
    }
    assertThat(log).isEmpty();
  }
}
