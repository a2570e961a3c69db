package dev.headrace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a training is to be run; begins with {@link Training#epochs} or {@link Training#steps}.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class TrainingOptions {
  static final TrainingOptions NONE = new TrainingOptions();

  private static final Duration LINE_EVERY = Duration.ofSeconds(10);

  private long epochs = Long.MAX_VALUE;
  private long steps = Long.MAX_VALUE;
  private long checkpointSteps;
  private @Nullable Path checkpointFile;
  private @Nullable Path resumeFrom;
  private boolean resumeIfPresent;
  private @Nullable ModelState state;
  private @Nullable Appendable progress;
  private @Nullable Duration progressEvery;
  private List<Consumer<? super StepResult>> stepListeners = List.of();
  private List<Consumer<? super EpochResult>> epochListeners = List.of();
  private List<Consumer<? super Pipeline<?>>> endListeners = List.of();
  private @Nullable Predicate<? super StepResult> stopAfterStep;
  private @Nullable Predicate<? super EpochResult> stopAfterEpoch;

  private TrainingOptions() {}

  private TrainingOptions(TrainingOptions from) {
    epochs = from.epochs;
    steps = from.steps;
    checkpointSteps = from.checkpointSteps;
    checkpointFile = from.checkpointFile;
    resumeFrom = from.resumeFrom;
    resumeIfPresent = from.resumeIfPresent;
    state = from.state;
    progress = from.progress;
    progressEvery = from.progressEvery;
    stepListeners = from.stepListeners;
    epochListeners = from.epochListeners;
    endListeners = from.endListeners;
    stopAfterStep = from.stopAfterStep;
    stopAfterEpoch = from.stopAfterEpoch;
  }

  // ---- how long ---------------------------------------------------------------------------------

  /** At most so many epochs, counted from the very first. */
  public TrainingOptions epochs(long count) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.epochs = positive("epochs", count);
    return copy;
  }

  /** At most so many steps, counted from the very first. */
  public TrainingOptions steps(long count) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.steps = positive("steps", count);
    return copy;
  }

  /** Ends the training after the first step that is such. */
  public TrainingOptions stopAfterStep(Predicate<? super StepResult> isEnough) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.stopAfterStep = isEnough;
    return copy;
  }

  /** Ends the training after the first whole epoch that is such: early stopping. */
  public TrainingOptions stopAfterEpoch(Predicate<? super EpochResult> isEnough) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.stopAfterEpoch = isEnough;
    return copy;
  }

  // ---- checkpoints ------------------------------------------------------------------------------

  /**
   * Writes a file after every so many steps, and when the training ends or is interrupted: the
   * model's state and the position in the data, together. A crash leaves either the old file or the
   * new one.
   *
   * <p>The model's state is the step's, where it is a {@link ModelState}, or that of {@link
   * #state}; without either, the file holds the position only.
   */
  public TrainingOptions checkpointEvery(long everySteps, Path file) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.checkpointSteps = positive("checkpointEvery", everySteps);
    copy.checkpointFile = file;
    return copy;
  }

  /** The same after every epoch. */
  public TrainingOptions checkpointEachEpoch(Path file) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.checkpointSteps = 0;
    copy.checkpointFile = file;
    return copy;
  }

  /**
   * Goes on where a file was written: the model takes on its state, and every element that it has
   * not been trained on follows, once. The dataset must be the same; numbers of threads and buffers
   * may differ.
   */
  public TrainingOptions resumeFrom(Path file) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.resumeFrom = file;
    copy.resumeIfPresent = false;
    return copy;
  }

  /**
   * Goes on where the file of the checkpoints was written, if there is one, and begins at the start
   * otherwise: for programs that may be killed and started again.
   */
  public TrainingOptions resumeIfPresent() {
    TrainingOptions copy = new TrainingOptions(this);
    copy.resumeFrom = null;
    copy.resumeIfPresent = true;
    return copy;
  }

  /** The state that belongs into checkpoints, where the step is not a {@link ModelState} itself. */
  public TrainingOptions state(ModelState model) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.state = model;
    return copy;
  }

  // ---- telling ----------------------------------------------------------------------------------

  /** Shows progress on standard error: a bar on a terminal, otherwise a line every 10 seconds. */
  public TrainingOptions progress() {
    return isTerminal() ? progressBar(System.err) : progress(System.err);
  }

  /** Writes a line of progress about every 10 seconds, and one after every epoch. */
  public TrainingOptions progress(Appendable out) {
    return progress(out, LINE_EVERY);
  }

  /** Writes a line of progress about every so often, and one after every epoch. */
  public TrainingOptions progress(Appendable out, Duration every) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.progress = out;
    copy.progressEvery = every;
    return copy;
  }

  /** Draws a bar over itself, for a terminal, and leaves a line after every epoch. */
  TrainingOptions progressBar(Appendable terminal) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.progress = terminal;
    copy.progressEvery = null;
    return copy;
  }

  /** Is told of every step. */
  public TrainingOptions onStep(Consumer<? super StepResult> listener) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.stepListeners = and(stepListeners, listener);
    return copy;
  }

  /** Is told of every epoch that came to its end. */
  public TrainingOptions onEpoch(Consumer<? super EpochResult> listener) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.epochListeners = and(epochListeners, listener);
    return copy;
  }

  /** Is given the pipeline before it is closed, to ask it what only an open one can tell. */
  public TrainingOptions atEnd(Consumer<? super Pipeline<?>> listener) {
    TrainingOptions copy = new TrainingOptions(this);
    copy.endListeners = and(endListeners, listener);
    return copy;
  }

  // ---- for the loop -----------------------------------------------------------------------------

  long epochs() {
    return epochs;
  }

  long steps() {
    return steps;
  }

  /** 0: after every epoch. */
  long checkpointSteps() {
    return checkpointSteps;
  }

  @Nullable Path checkpointFile() {
    return checkpointFile;
  }

  @Nullable Path resumeFrom() {
    return resumeFrom;
  }

  boolean resumesIfPresent() {
    return resumeIfPresent;
  }

  @Nullable ModelState state() {
    return state;
  }

  @Nullable Appendable progressTarget() {
    return progress;
  }

  /** Null: a bar. */
  @Nullable Duration progressEvery() {
    return progressEvery;
  }

  void tell(StepResult step) {
    stepListeners.forEach(listener -> listener.accept(step));
  }

  void tell(EpochResult epoch) {
    epochListeners.forEach(listener -> listener.accept(epoch));
  }

  void tell(Pipeline<?> pipeline) {
    endListeners.forEach(listener -> listener.accept(pipeline));
  }

  boolean isEnough(StepResult step) {
    return stopAfterStep != null && stopAfterStep.test(step);
  }

  boolean isEnough(EpochResult epoch) {
    return stopAfterEpoch != null && stopAfterEpoch.test(epoch);
  }

  private static boolean isTerminal() {
    var console = System.console();
    return console != null && console.isTerminal();
  }

  private static <L> List<L> and(List<L> listeners, L another) {
    List<L> all = new ArrayList<>(listeners);
    all.add(another);
    return List.copyOf(all);
  }

  private static long positive(String word, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(word + ": expected at least 1, but got " + value);
    }
    return value;
  }
}
