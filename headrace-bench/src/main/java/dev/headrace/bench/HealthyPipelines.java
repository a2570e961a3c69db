package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.profile.Finding;
import java.util.ArrayList;
import java.util.List;

/** Pipelines with which nothing is wrong: a linter that finds something in one of them is wrong. */
final class HealthyPipelines {
  private HealthyPipelines() {}

  /** Thirty of them: ten shapes, each with three sizes. */
  static List<Dataset<?>> all() {
    List<Dataset<?>> all = new ArrayList<>();
    for (int batch : new int[] {8, 32, 128}) {
      Dataset<Tensor> rows = Dataset.fromTensorSlices(Tensor.full(Shape.of(4_096, 16), 1f));
      Seed seed = Seed.of(batch);
      all.add(rows.batch(batch).prefetch(AUTOTUNE));
      all.add(rows.shuffle(1_000, seed).batch(batch).prefetch(AUTOTUNE));
      all.add(rows.map(x -> x, AUTOTUNE).cache().shuffle(1_000, seed).batch(batch).prefetch(2));
      all.add(rows.map(x -> x, AUTOTUNE).batch(batch).prefetch(AUTOTUNE));
      all.add(rows.shuffle(1_000, seed).repeat(3).batch(batch).prefetch(AUTOTUNE));
      all.add(rows.shard(4, 1).shuffle(500, seed).batch(batch).prefetch(AUTOTUNE));
      all.add(
          rows.cache()
              .shuffle(1_000, seed)
              .randomMap((x, random) -> x, seed, AUTOTUNE)
              .batch(batch)
              .prefetch(AUTOTUNE));
      all.add(rows.filter(x -> true).batch(batch).prefetch(AUTOTUNE));
      all.add(rows.batch(batch).prefetch(2).prefetchToDevice(Device.host()));
      all.add(rows.take(2_048).shuffle(256, seed).batch(batch).prefetch(4));
    }
    return all;
  }

  /** What a linter says against them, notes apart. */
  static List<Finding> complaints() {
    List<Finding> complaints = new ArrayList<>();
    for (Dataset<?> dataset : all()) {
      for (Finding finding : dataset.lint()) {
        if (finding.severity() != Finding.Severity.NOTE) {
          complaints.add(finding);
        }
      }
    }
    return complaints;
  }
}
