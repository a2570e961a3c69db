package dev.headrace.testing;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.op.ShuffleOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a dataset gives with one thread in each operator and with many, element by element:
 * if a function keeps state, draws random numbers of its own or depends on time, this shows where.
 *
 * <pre>{@code
 * DeterminismCheck.Result result = DeterminismCheck.of(dataset).threads(8).run();
 * }</pre>
 */
public final class DeterminismCheck {
  private static final int LONGEST_TEXT = 200;

  private final Dataset<?> dataset;
  private final int threads;
  private final long elements;
  private final int epochs;
  private final boolean alsoSequential;
  private final LongConsumer progress;

  private DeterminismCheck(
      Dataset<?> dataset,
      int threads,
      long elements,
      int epochs,
      boolean alsoSequential,
      LongConsumer progress) {
    this.dataset = dataset;
    this.threads = threads;
    this.elements = elements;
    this.epochs = epochs;
    this.alsoSequential = alsoSequential;
    this.progress = progress;
  }

  public static DeterminismCheck of(Dataset<?> dataset) {
    return new DeterminismCheck(dataset, 8, Long.MAX_VALUE, 1, false, count -> {});
  }

  /** How many threads the parallel run has in each operator; 8 unless said otherwise. */
  public DeterminismCheck threads(int count) {
    if (count < 2) {
      throw new IllegalArgumentException(
          "check-determinism: expected at least 2 threads, but got " + count);
    }
    return new DeterminismCheck(dataset, count, elements, epochs, alsoSequential, progress);
  }

  /** Looks at so many elements of each epoch at most. */
  public DeterminismCheck elements(long most) {
    return new DeterminismCheck(dataset, threads, most, epochs, alsoSequential, progress);
  }

  /** Looks at so many epochs; 1 unless said otherwise. */
  public DeterminismCheck epochs(int count) {
    return new DeterminismCheck(dataset, threads, elements, count, alsoSequential, progress);
  }

  /** Also runs functions in parallel that were given without a parallelism: could they be? */
  public DeterminismCheck alsoSequential() {
    return new DeterminismCheck(dataset, threads, elements, epochs, true, progress);
  }

  /** Is told the number of elements compared, now and then. */
  public DeterminismCheck progress(LongConsumer listener) {
    return new DeterminismCheck(dataset, threads, elements, epochs, alsoSequential, listener);
  }

  /**
   * What was found.
   *
   * @param compared how many elements were alike in both runs
   * @param hash of all elements of the run with one thread
   * @param difference null where all were alike
   */
  public record Result(long compared, String hash, @Nullable Difference difference) {
    public boolean isDeterministic() {
      return difference == null;
    }
  }

  /**
   * What the plan itself says about runs that differ: operators that draw a seed when they are
   * opened, and operators that were told not to keep order. Empty where nothing does; then a
   * function is the cause.
   */
  public List<String> knownCauses() {
    List<String> causes = new ArrayList<>();
    addCauses(dataset.op(), causes);
    return causes.stream().distinct().toList();
  }

  private void addCauses(Op op, List<String> causes) {
    if (op instanceof ShuffleOp shuffle && shuffle.drawsItsOwnSeed()) {
      causes.add(
          "%s has no seed, so every run has another order; write .shuffle(%d, Seed.of(…))"
              .formatted(shuffle.title(), shuffle.buffer()));
    }
    Order order = OpShape.of(op.getClass()).part(op, Order.class).orElse(Order.ORDERED);
    boolean isUnordered = order == Order.UNORDERED || (order == Order.DEFAULT && !keepsOrder());
    if (isUnordered && op.parallelism() != Parallelism.SEQUENTIAL) {
      causes.add("%s was told not to keep order".formatted(op.title()));
    }
    op.inputs().forEach(input -> addCauses(input, causes));
  }

  private boolean keepsOrder() {
    return dataset.options().effective().stream()
        .anyMatch(setting -> setting.name().equals("deterministic") && setting.value() != 0);
  }

  /**
   * The first difference.
   *
   * @param index of the element in its epoch
   * @param one what the run with one thread gave, {@code many} what the one with many did
   */
  public record Difference(int epoch, long index, String one, String many) {
    @Override
    public String toString() {
      return "epoch %d, element %d: with one thread %s, with many %s"
          .formatted(epoch, index, one, many);
    }
  }

  /** Runs both, in step with each other. */
  public Result run() {
    MessageDigest sha = sha256();
    long compared = 0;
    try (Pipeline<?> one = withThreads(1).open();
        Pipeline<?> many = withThreads(threads).open()) {
      for (int epoch = 0; epoch < epochs; epoch++) {
        Iterator<?> ofOne = one.iterator();
        Iterator<?> ofMany = many.iterator();
        for (long index = 0; index < elements; index++) {
          String first = event(ofOne);
          String second = event(ofMany);
          if (!first.equals(second)) {
            return new Result(
                compared, hash(sha), new Difference(epoch, index, cut(first), cut(second)));
          }
          sha.update(first.getBytes(StandardCharsets.UTF_8));
          if (first.equals(END)) {
            break;
          }
          compared++;
          if (compared % 1000 == 0) {
            progress.accept(compared);
          }
        }
      }
    }
    return new Result(compared, hash(sha), null);
  }

  private static final String END = "the end";

  private static String event(Iterator<?> elements) {
    if (!elements.hasNext()) {
      return END;
    }
    try {
      return ElementText.of(elements.next());
    } catch (PipelineException e) {
      if (e.isTerminal()) {
        throw e;
      }
      return "an error at " + e.element() + ": " + e.getCause();
    }
  }

  private static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  private Dataset<?> withThreads(int count) {
    Options options = dataset.options().ownedBatches(true);
    return Dataset.of(rewritten(dataset.op(), count)).options(options);
  }

  private Op rewritten(Op op, int count) {
    List<Op> inputs = new ArrayList<>();
    for (Op input : op.inputs()) {
      inputs.add(rewritten(input, count));
    }
    OpShape shape = OpShape.of(op.getClass());
    Op over = inputs.isEmpty() ? op : shape.withInputs(op, inputs);
    return shape.withKnob(
        over,
        "parallelism",
        was -> was == Parallelism.SEQUENTIAL && !(alsoSequential && count > 1) ? was : count);
  }

  private static String hash(MessageDigest sha) {
    return HexFormat.of().formatHex(sha.digest(), 0, 16);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
