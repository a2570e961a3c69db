package dev.headrace;

import dev.headrace.spi.NanoClock;
import java.io.Flushable;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Shows how far a training is: a bar that is drawn over itself, or now and then a line. */
final class TrainingProgress {
  private static final long BAR_NS = 100_000_000;
  private static final int BAR_WIDTH = 24;
  private static final String OVERWRITE = "\r\u001b[2K";

  private final TrainingOptions options;
  private final long batches;
  private final NanoClock clock;
  private final boolean isBar;
  private final long everyNs;
  private @Nullable Appendable out;
  private long shownNs;
  private boolean isDrawn;

  TrainingProgress(TrainingOptions options, long batches, NanoClock clock) {
    this.options = options;
    this.batches = batches;
    this.clock = clock;
    this.out = options.progressTarget();
    Duration every = options.progressEvery();
    this.isBar = every == null;
    this.everyNs = every == null ? BAR_NS : every.toNanos();
    this.shownNs = clock.nanoTime();
  }

  void step(StepResult step, TrainingTally epoch) {
    if (out == null) {
      return;
    }
    long now = clock.nanoTime();
    if (now - shownNs >= everyNs) {
      shownNs = now;
      show(line(step, epoch, now), !isBar);
    }
  }

  void epoch(EpochResult epoch) {
    if (out != null) {
      show(epoch.toString(), true);
    }
  }

  /** Leaves the terminal with an empty line. */
  void end() {
    if (isDrawn) {
      show("", false);
    }
  }

  private String line(StepResult step, TrainingTally epoch, long now) {
    StringBuilder line = new StringBuilder("epoch " + step.epoch());
    if (options.epochs() != Long.MAX_VALUE) {
      line.append(" of ").append(options.epochs());
    }
    line.append(isBar && batches > 0 ? " [" + bar(step.stepOfEpoch()) + "] " : ": ");
    line.append(String.format(Locale.ROOT, "step %,d", step.stepOfEpoch()));
    if (batches > 0) {
      line.append(String.format(Locale.ROOT, " of %,d", batches));
    }
    double seconds = (now - epoch.startNs) / 1e9;
    if (seconds > 0) {
      long steps = epoch.steps - epoch.stepsBefore;
      line.append(
          String.format(
              Locale.ROOT,
              ", %,.1f steps/s, waited %.0f %%",
              steps / seconds,
              Math.min(100, 100 * epoch.waitNs / 1e9 / seconds)));
    }
    if (!Double.isNaN(epoch.lastLoss)) {
      line.append(String.format(Locale.ROOT, ", loss %.4g", epoch.lastLoss));
    }
    return line.toString();
  }

  private String bar(long step) {
    int full = (int) (BAR_WIDTH * Math.min(step, batches) / batches);
    return "=".repeat(full) + " ".repeat(BAR_WIDTH - full);
  }

  private void show(String line, boolean stays) {
    Appendable target = out;
    if (target == null) {
      return;
    }
    try {
      target.append(isBar ? OVERWRITE : "").append(line);
      if (stays) {
        target.append(System.lineSeparator());
      }
      if (target instanceof Flushable flushable) {
        flushable.flush();
      }
      isDrawn = isBar && !stays && !line.isEmpty();
    } catch (IOException e) {
      out = null; // nothing can be printed; that is no reason to stop training
    }
  }
}
