package dev.headrace.bench;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a pipeline could do within so much memory if it wasted none: elements begin in order as soon
 * as a core and memory are free, and give their memory back with the step that takes their batch.
 *
 * <p>Elements must be delivered in order, so one slow element makes all that follow it wait in
 * memory; where that is short, cores stand still, whatever the engine.
 */
final class MemoryFloor {
  private static final int ROUNDS = 40;
  private static final int TRIES = 200;

  private final Cost cost;
  private final int batch;
  private final double stepMicros;
  private final double extraMicros;

  /** A pipeline whose elements take what they are said to, and what filling and copying takes. */
  MemoryFloor(Cost cost, int floats, int batch, double stepMicros) {
    this.cost = cost;
    this.batch = batch;
    this.stepMicros = stepMicros;
    this.extraMicros = makingMicros(floats);
  }

  /** What it takes at least to make an element's tensor, and to copy it into a batch. */
  private static double makingMicros(int floats) {
    double fastest = Double.MAX_VALUE;
    long bytes = (long) floats * DType.FLOAT32.byteSize();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(bytes, 64);
      for (int i = 0; i < TRIES; i++) {
        long start = System.nanoTime();
        Tensor.full(Shape.of(floats), (float) i).copyInto(slot, 0);
        fastest = Math.min(fastest, (System.nanoTime() - start) / 1e3);
      }
    }
    return fastest;
  }

  /** How long a batch takes if no more than so many elements are in memory at once. */
  double msPerBatch(int atMost, int cores) {
    int mostElements = Math.max(batch, atMost);
    int elements = cost.micros().length * ROUNDS / batch * batch;
    double[] done = new double[elements];
    double[] free = new double[cores];
    double[] taken = new double[elements / batch]; // when the step that took a batch was over
    int batches = 0;
    for (int e = 0; e < elements; e++) {
      double roomFrom = 0;
      if (e >= mostElements) {
        int needed = (e - mostElements) / batch;
        for (; batches <= needed; batches++) {
          taken[batches] = takenAt(batches, taken, done);
        }
        roomFrom = taken[needed];
      }
      int core = 0;
      for (int c = 1; c < cores; c++) {
        core = free[c] < free[core] ? c : core;
      }
      done[e] = Math.max(free[core], roomFrom) + cost.of(e) + extraMicros;
      free[core] = done[e];
    }
    for (; batches < taken.length; batches++) {
      taken[batches] = takenAt(batches, taken, done);
    }
    return taken[taken.length - 1] / taken.length / 1e3;
  }

  private double takenAt(int number, double[] taken, double[] done) {
    double ready = number == 0 ? 0 : taken[number - 1];
    for (int i = 0; i < batch; i++) {
      ready = Math.max(ready, done[number * batch + i]);
    }
    return ready + stepMicros;
  }
}
