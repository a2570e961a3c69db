package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.spi.Knob;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A generated pipeline: what its operators and its training step cost, and which numbers are open.
 *
 * @param parts its operators, after a range without an end
 * @param cycle after so many batches the costs begin again
 * @param options how it is run; by default with {@link #BUDGET_BYTES} of memory
 */
record AutotunePipeline(
    String name, List<AutotunePart> parts, Step step, int cycle, Options options) {
  /** An epoch so long that no run reaches its end. */
  private static final long LONG = Long.MAX_VALUE / 2;

  /** What elements may weigh, on the heap and off it. */
  static final long BUDGET_BYTES = 256L << 20;

  AutotunePipeline(String name, List<AutotunePart> parts, Step step, int cycle) {
    this(name, parts, step, cycle, Options.defaults().memoryBudget(BUDGET_BYTES));
  }

  AutotunePipeline named(String newName) {
    return new AutotunePipeline(newName, parts, step, cycle, options);
  }

  AutotunePipeline with(Options newOptions) {
    return new AutotunePipeline(name, parts, step, cycle, newOptions);
  }

  /**
   * What the consumer does with a batch.
   *
   * @param computes whether it computes that long on its thread, or waits as for an accelerator
   * @param longer makes it take longer, or less
   */
  record Step(int micros, boolean computes, Dial longer) {
    static final Step NONE = new Step(0, false, new Dial());

    static Step waiting(int micros) {
      return new Step(micros, false, new Dial());
    }

    static Step computing(int micros) {
      return new Step(micros, true, new Dial());
    }

    void make(Burn burn) {
      double now = micros * longer.factor();
      if (now <= 0) {
        return;
      }
      if (computes) {
        var unused = burn.micros((int) now, 1);
      } else {
        SyntheticStep.waiting(Duration.ofNanos((long) (now * 1e3))).step("");
      }
    }
  }

  /** With every number left to the engine. */
  Dataset<?> tuned(Burn burn) {
    int[] knobs = new int[knobs().size()];
    Arrays.fill(knobs, Knob.AUTOTUNE);
    return dataset(burn, knobs);
  }

  /** With these numbers, in the order of {@link #knobs()}. */
  Dataset<?> dataset(Burn burn, int... knobs) {
    Dataset<?> dataset = Dataset.range(LONG);
    int next = 0;
    for (AutotunePart part : parts) {
      dataset = part.appendTo(dataset, burn, part.levels().isEmpty() ? 0 : knobs[next++]);
    }
    return dataset.options(options);
  }

  /** The operators that have an open number. */
  List<AutotunePart> knobs() {
    return parts.stream().filter(part -> !part.levels().isEmpty()).toList();
  }

  /** Every combination of the levels. */
  List<int[]> grid() {
    List<int[]> grid = new ArrayList<>();
    grid.add(new int[0]);
    for (AutotunePart knob : knobs()) {
      List<int[]> longer = new ArrayList<>();
      for (int[] chosen : grid) {
        for (int level : knob.levels()) {
          int[] more = Arrays.copyOf(chosen, chosen.length + 1);
          more[chosen.length] = level;
          longer.add(more);
        }
      }
      grid = longer;
    }
    return grid;
  }

  /** A setting in words: {@code load 16, buffer 2}. */
  String words(int... knobs) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < knobs.length; i++) {
      words.add(knobs().get(i).knob() + " " + knobs[i]);
    }
    return String.join(", ", words);
  }

  /** The pipeline for tf.data; null where it cannot be written without calling Python. */
  @Nullable Map<String, @Nullable Object> toJson() {
    if (!parts.stream().allMatch(AutotunePart::isExpressible)) {
      return null;
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("parts", parts.stream().map(AutotunePart::toJson).toList());
    json.put("stepMicros", step.micros);
    json.put("stepComputes", step.computes);
    return json;
  }
}
