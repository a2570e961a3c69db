package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far functions that compute, wait or do both are spread over cores and threads.
 *
 * <p>Rates are elements per second of wall time, from {@code open()} to the last element, so that
 * the time AUTOTUNE takes to find its numbers is part of them.
 */
final class Scaling implements Scenario {
  private static final List<Integer> GRID = List.of(2, 4, 6, 8, 12, 16);
  private static final int SLEEPS = 1_000;

  @Override
  public String name() {
    return "scaling";
  }

  @Override
  public String summary() {
    return "functions that compute, wait or both, on many threads; about 4 minutes";
  }

  @Override
  public List<Row> run(Setup setup) {
    Chains.warmUp();
    Burn burn = Burn.calibrated();
    List<Row> rows = new ArrayList<>();
    rows.addAll(computing(setup, burn));
    rows.addAll(waitingAndComputing(setup, burn));
    rows.add(nativeWaiting(setup));
    rows.add(sleeping(setup));
    return rows;
  }

  private static List<Row> computing(Setup setup, Burn burn) {
    int elements = 12_000;
    int threads = 2;
    Chains.run(Dataset.range(elements).map(x -> burn.micros(100, x), threads)); // compiled once
    double[] ours = new double[setup.pairs()];
    double[] sequential = new double[setup.pairs()];
    double[] bare = new double[setup.pairs()];
    for (int i = 0; i < setup.pairs(); i++) {
      setup.progress().accept("100 us of CPU: pair %d of %d".formatted(i + 1, setup.pairs()));
      ours[i] = wallMs(Dataset.range(elements).map(x -> burn.micros(100, x), threads)) / elements;
      sequential[i] = wallMs(Dataset.range(elements).map(x -> burn.micros(100, x))) / elements;
      bare[i] = bareThreadsMs(burn, elements, threads) / elements;
    }
    return List.of(
        Row.ofPairs(
            "map(100 us of CPU, 2)",
            "wall ms/elem",
            ours,
            sequential,
            "map(f), sequential",
            Bar.ratioAtLeast(1.8),
            0),
        Row.ofPairs(
            "map(100 us of CPU, 2)",
            "wall ms/elem",
            ours,
            bare,
            "two bare threads, half of it each",
            Bar.ratioAtLeast(0.9),
            0));
  }

  private static double bareThreadsMs(Burn burn, int elements, int threads) {
    long start = System.nanoTime();
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      running.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < elements / threads; i++) {
                      var unused = burn.micros(100, i);
                    }
                  }));
    }
    for (Thread thread : running) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
    return (System.nanoTime() - start) / 1e6;
  }

  private static List<Row> waitingAndComputing(Setup setup, Burn burn) {
    int elements = 3_000;
    setup.progress().accept("4 ms of waiting, 2 ms of CPU: finding the best fixed parallelism");
    Map<Integer, Double> grid = new LinkedHashMap<>();
    for (int round = 0; round < 3; round++) {
      for (int threads : GRID) {
        double ms = wallMs(mixed(burn, elements / 4, threads)) / (elements / 4);
        grid.merge(threads, ms, Math::min);
      }
    }
    int best = grid.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow().getKey();
    double[] tuned = new double[setup.pairs()];
    double[] fixed = new double[setup.pairs()];
    for (int i = 0; i < setup.pairs(); i++) {
      setup
          .progress()
          .accept("4 ms of waiting, 2 ms of CPU: pair %d of %d".formatted(i + 1, setup.pairs()));
      tuned[i] = wallMs(mixed(burn, elements, AUTOTUNE)) / elements;
      fixed[i] = wallMs(mixed(burn, elements, best)) / elements;
    }
    return List.of(
        Row.ofPairs(
            "map(4 ms wait + 2 ms CPU, AUTOTUNE)",
            "wall ms/elem",
            tuned,
            fixed,
            "best fixed parallelism of " + GRID + ": " + best,
            Bar.ratioAtLeast(0.95),
            0));
  }

  private static Dataset<?> mixed(Burn burn, int elements, int parallelism) {
    return Dataset.range(elements)
        .map(
            x -> {
              Thread.sleep(4);
              return burn.micros(2_000, x);
            },
            parallelism);
  }

  private static Row nativeWaiting(Setup setup) {
    int elements = 2_000;
    int sequentialElements = 100;
    double[] ours = new double[setup.pairs()];
    double[] sequential = new double[setup.pairs()];
    for (int i = 0; i < setup.pairs(); i++) {
      setup
          .progress()
          .accept("5 ms of waiting in native code: pair %d of %d".formatted(i + 1, setup.pairs()));
      ours[i] =
          wallMs(Dataset.range(elements).map(x -> NativeSleep.micros(5_000, x), AUTOTUNE))
              / elements;
      sequential[i] =
          wallMs(Dataset.range(sequentialElements).map(x -> NativeSleep.micros(5_000, x)))
              / sequentialElements;
    }
    return Row.ofPairs(
        "map(5 ms in usleep, AUTOTUNE) x 2000",
        "wall ms/elem",
        ours,
        sequential,
        "map(f), sequential, 100 elements",
        null,
        0);
  }

  private static Row sleeping(Setup setup) {
    // Each run takes seconds whatever the engine does, so a few must do.
    int runs = Math.min(setup.pairs(), 3);
    double[] seconds = new double[runs];
    for (int i = 0; i < runs; i++) {
      setup.progress().accept("1 s of sleep, 1,000 times: run %d of %d".formatted(i + 1, runs));
      seconds[i] =
          wallMs(
                  Dataset.range(SLEEPS)
                      .map(
                          x -> {
                            Thread.sleep(1_000);
                            return x;
                          },
                          AUTOTUNE))
              / 1e3;
    }
    return Row.alone(
        "map(1 s of sleep, AUTOTUNE) x 1000", "s", Interval.of(seconds), Bar.atMost(4));
  }

  private static double wallMs(Dataset<?> dataset) {
    return Spent.on(() -> Chains.run(dataset)).wallNs() / 1e6;
  }
}
