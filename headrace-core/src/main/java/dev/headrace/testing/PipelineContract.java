package dev.headrace.testing;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Plural;
import dev.headrace.profile.PipelineStats;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What every pipeline promises, checked on one: the same output twice and for any parallelism;
 * resumption from every position with nothing lost and nothing twice; an end that stays; closing at
 * every position without a thread or a byte left; errors that name their operator and element.
 *
 * <pre>{@code
 * PipelineContract.of(n -> Dataset.range(50).map(x -> x * 2, n).batch(7, Collator.stack())).check();
 * }</pre>
 *
 * <p>Errors are compared by the text of their cause, so functions that fail should say so
 * themselves: exceptions the virtual machine raises lose their messages once code is compiled.
 *
 * <p>Throws {@link AssertionError}; needs no test framework.
 */
public final class PipelineContract<T> {
  private static final int[] PARALLELISMS = {1, 2, 8};

  /** Positions checked beyond this many events are spread evenly. */
  private static final int MOST_POSITIONS = 200;

  private final IntFunction<Dataset<T>> dataset;
  private final String name;
  private final boolean ordered;
  private final int epochs;
  private final Function<Object, List<String>> parts;
  private final int mostPositions;

  private PipelineContract(
      IntFunction<Dataset<T>> dataset,
      String name,
      boolean ordered,
      int epochs,
      Function<Object, List<String>> parts,
      int mostPositions) {
    this.dataset = dataset;
    this.name = name;
    this.ordered = ordered;
    this.epochs = epochs;
    this.parts = parts;
    this.mostPositions = mostPositions;
  }

  /** The contract of a dataset that can be made for any parallelism. */
  public static <T> PipelineContract<T> of(IntFunction<Dataset<T>> byParallelism) {
    return new PipelineContract<>(
        byParallelism,
        "pipeline",
        true,
        2,
        element -> List.of(ElementText.of(element)),
        MOST_POSITIONS);
  }

  /** The dataset, whose batches end with the next one, however small they are. */
  private Dataset<T> strict(int parallelism) {
    return dataset.apply(parallelism).options(options -> options.strictBatches(true));
  }

  /** Gives the pipeline a name for messages. */
  public PipelineContract<T> named(String newName) {
    return new PipelineContract<>(dataset, newName, ordered, epochs, parts, mostPositions);
  }

  /** Says that order is not promised: elements are compared as a bag. */
  public PipelineContract<T> unordered() {
    return new PipelineContract<>(dataset, name, false, epochs, parts, mostPositions);
  }

  /**
   * Says how an element falls apart into what must be delivered exactly once, where batches are
   * grouped differently from run to run.
   */
  public PipelineContract<T> comparing(Function<Object, List<String>> newParts) {
    return new PipelineContract<>(dataset, name, ordered, epochs, newParts, mostPositions);
  }

  /** How many epochs are looked at; 2 unless said otherwise. */
  public PipelineContract<T> epochs(int count) {
    return new PipelineContract<>(dataset, name, ordered, count, parts, mostPositions);
  }

  /** Looks at so many positions only, spread evenly, and runs each parallelism once. */
  public PipelineContract<T> sampled(int positions) {
    return new PipelineContract<>(dataset, name, ordered, epochs, parts, positions);
  }

  private boolean isSampled() {
    return mostPositions < MOST_POSITIONS;
  }

  /** Checks everything. */
  public void check() {
    List<String> expected = checkRepeatable();
    checkResumes(expected);
    checkCloses(expected.size());
  }

  private List<String> checkRepeatable() {
    List<String> expected = bag(runAll(PARALLELISMS[0]));
    for (int parallelism : PARALLELISMS) {
      for (int again = isSampled() ? 1 : 0; again < 2; again++) {
        same(
            "run " + (again + 1) + " with parallelism " + parallelism,
            expected,
            bag(runAll(parallelism)));
      }
    }
    return expected;
  }

  /** All events of all epochs: texts of elements, of errors, and of ends. */
  private List<String> runAll(int parallelism) {
    try (Pipeline<T> pipeline = strict(parallelism).open()) {
      List<String> events = new ArrayList<>();
      for (int epoch = 0; epoch < epochs; epoch++) {
        Iterator<T> iterator = pipeline.iterator();
        while (iterator.hasNext()) {
          events.addAll(event(iterator));
        }
        checkEnd(iterator);
        events.add("end");
      }
      return events;
    }
  }

  private List<String> event(Iterator<T> iterator) {
    try {
      return parts.apply(Objects.requireNonNull(iterator.next()));
    } catch (PipelineException e) {
      if (e.path().isEmpty() || e.getCause() == null || e.isTerminal()) {
        throw failure("an error that names its operator and lets the pipeline go on", e.toString());
      }
      if (e.element() == null) {
        throw failure("an error that names its element", e.toString());
      }
      return List.of("error at " + e.element() + ": " + e.getCause());
    }
  }

  private void checkEnd(Iterator<T> iterator) {
    for (int i = 0; i < 2; i++) {
      if (iterator.hasNext()) {
        throw failure("an end that stays", "more elements after the end");
      }
      try {
        iterator.next();
        throw failure("NoSuchElementException after the end", "an element");
      } catch (NoSuchElementException e) {
        continue;
      }
    }
  }

  private void checkResumes(List<String> expected) {
    List<String> texts = new ArrayList<>();
    List<List<String>> delivered = new ArrayList<>();
    List<String> events = new ArrayList<>();
    try (Pipeline<T> pipeline = strict(2).open()) {
      for (int epoch = 0; epoch < epochs; epoch++) {
        Iterator<T> iterator = pipeline.iterator();
        note(pipeline, texts, delivered, events);
        while (iterator.hasNext()) {
          events.addAll(event(iterator));
          note(pipeline, texts, delivered, events);
        }
        events.add("end");
        note(pipeline, texts, delivered, events);
      }
    }
    int step = Math.max(1, texts.size() / mostPositions);
    for (int i = isSampled() ? texts.size() % step : 0; i < texts.size(); i += step) {
      int parallelism = PARALLELISMS[i % PARALLELISMS.length];
      List<String> whole = new ArrayList<>(delivered.get(i));
      String again = resumeFor(i % 4, texts.get(i), 3 - parallelism % 2, whole);
      whole.addAll(resume(again, parallelism, count(whole, "end")));
      same(
          "resumed at position %d with parallelism %d from\n%s"
              .formatted(i, parallelism, texts.get(i)),
          expected,
          bag(whole));
    }
  }

  private void note(
      Pipeline<T> pipeline, List<String> texts, List<List<String>> delivered, List<String> events) {
    texts.add(pipeline.checkpoint().toString());
    delivered.add(List.copyOf(events));
  }

  /** Resumes for a few events, and takes a checkpoint of the resumed pipeline. */
  private String resumeFor(int events, String checkpoint, int parallelism, List<String> whole) {
    if (events == 0 || count(whole, "end") == epochs) {
      return checkpoint;
    }
    try (Pipeline<T> pipeline = strict(parallelism).open(Checkpoint.parse(checkpoint))) {
      Iterator<T> iterator = pipeline.iterator();
      int left = events;
      while (left-- > 0 && iterator.hasNext()) {
        whole.addAll(event(iterator));
      }
      if (left >= 0) {
        whole.add("end");
      }
      return pipeline.checkpoint().toString();
    }
  }

  private List<String> resume(String checkpoint, int parallelism, int ended) {
    List<String> events = new ArrayList<>();
    try (Pipeline<T> pipeline = strict(parallelism).open(Checkpoint.parse(checkpoint))) {
      for (int epoch = ended; epoch < epochs; epoch++) {
        Iterator<T> iterator = pipeline.iterator();
        while (iterator.hasNext()) {
          events.addAll(event(iterator));
        }
        events.add("end");
      }
    }
    return events;
  }

  private void checkCloses(int events) {
    int step = Math.max(1, events / Math.min(12, mostPositions / 2 + 1));
    for (int position = 0; position <= events; position += step) {
      Pipeline<T> pipeline = strict(PARALLELISMS[position % 3]).open();
      int left = position;
      Iterator<T> iterator = pipeline.iterator();
      while (left-- > 0 && iterator.hasNext()) {
        event(iterator);
      }
      pipeline.close();
      PipelineStats stats = pipeline.stats();
      if (stats.memory().heapBytes() != 0 || stats.memory().nativeBytes() != 0) {
        throw failure(
            "no memory held after close at position " + position,
            stats.memory().heapBytes()
                + " "
                + Plural.word(stats.memory().heapBytes(), "byte")
                + " on the heap account and "
                + stats.memory().nativeBytes()
                + " native");
      }
      List<String> threads = LeftoverThreads.namesBeside(Set.of());
      if (!threads.isEmpty()) {
        throw failure("no thread left after close at position " + position, threads.toString());
      }
    }
  }

  private static int count(List<String> events, String event) {
    int count = 0;
    for (String each : events) {
      count += each.equals(event) ? 1 : 0;
    }
    return count;
  }

  /** Where order is not promised, each epoch is a bag. */
  private List<String> bag(List<String> events) {
    if (ordered) {
      return events;
    }
    List<String> sorted = new ArrayList<>();
    List<String> epoch = new ArrayList<>();
    for (String event : events) {
      if (event.equals("end")) {
        epoch.sort(null);
        sorted.addAll(epoch);
        sorted.add(event);
        epoch.clear();
      } else {
        epoch.add(event);
      }
    }
    epoch.sort(null);
    sorted.addAll(epoch);
    return sorted;
  }

  private void same(String what, List<String> expected, List<String> got) {
    if (expected.equals(got)) {
      return;
    }
    int at = 0;
    while (at < expected.size() && at < got.size() && expected.get(at).equals(got.get(at))) {
      at++;
    }
    throw failure(
        what + " to give " + near(expected, at),
        near(got, at) + " (first difference at " + at + ")");
  }

  private static String near(List<String> events, int at) {
    return events.size()
        + " "
        + Plural.word(events.size(), "event")
        + ", around "
        + events.subList(Math.max(0, at - 3), Math.min(events.size(), at + 6));
  }

  private AssertionError failure(String expected, @Nullable String got) {
    return new AssertionError(name + ": expected " + expected + ", but got " + got);
  }
}
