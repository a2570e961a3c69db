package dev.headrace;

import dev.headrace.data.Compression;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.Seed;
import dev.headrace.data.WriterLock;
import dev.headrace.op.BatchOp;
import dev.headrace.op.CacheFileOp;
import dev.headrace.op.CacheOp;
import dev.headrace.op.FilterOp;
import dev.headrace.op.IgnoreErrorsOp;
import dev.headrace.op.InterleaveOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.op.LoadOp;
import dev.headrace.op.MapOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.RandomMapOp;
import dev.headrace.op.RangeOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.TakeOp;
import dev.headrace.runtime.PlanShape;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Condition;
import dev.headrace.spi.ElementWriter;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Plan;
import dev.headrace.spi.RandomFn;
import dev.headrace.spi.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * An immutable description of an input pipeline: where elements come from and what is done to them.
 *
 * <p>Nothing is read and no thread starts before {@link #open()}. The words are tf.data's.
 *
 * <pre>{@code
 * Dataset<Tensor> train = Dataset.range(1000)
 *     .map(i -> load(i), AUTOTUNE)
 *     .shuffle(100, Seed.of(42))
 *     .batch(32)
 *     .prefetch(AUTOTUNE);
 * try (Pipeline<Tensor> batches = train.open()) {
 *   for (Tensor batch : batches) model.step(batch);
 * }
 * }</pre>
 */
public final class Dataset<T> implements Plan<T> {
  /** Leaves a number of threads or elements to the engine. */
  public static final int AUTOTUNE = Knob.AUTOTUNE;

  /** The {@link #cardinality()} of a dataset that never ends. */
  public static final long INFINITE = Op.INFINITE;

  /** The {@link #cardinality()} of a dataset whose size is known only by reading it. */
  public static final long UNKNOWN = Op.UNKNOWN;

  private static final StackWalker CALLERS =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final Op op;
  private final Options options;

  private Dataset(Op op, Options options) {
    this.op = op;
    this.options = options;
  }

  /** A dataset over an operator of one's own; see the package {@code dev.headrace.spi}. */
  public static <T> Dataset<T> of(Op op) {
    return new Dataset<>(Objects.requireNonNull(op), Options.defaults());
  }

  // ---- sources ----------------------------------------------------------------------------------

  /** The numbers 0, 1, … below {@code stop}. */
  public static Dataset<Long> range(long stop) {
    return of(new RangeOp(0, stop, 1, here()));
  }

  /** The numbers from {@code start} to below {@code stop}. */
  public static Dataset<Long> range(long start, long stop) {
    return of(new RangeOp(start, stop, 1, here()));
  }

  /** The numbers from {@code start} by {@code step}, up to but without {@code stop}. */
  public static Dataset<Long> range(long start, long stop, long step) {
    return of(new RangeOp(start, stop, step, here()));
  }

  /**
   * The files that match a pattern such as {@code flowers/*}{@code /*.jpg}, sorted by path. Unlike
   * in tf.data they are not shuffled unless a seed is given.
   */
  public static Dataset<Path> listFiles(String pattern) {
    return of(new ListFilesOp(pattern, here()));
  }

  /** The files that match a pattern, in another random order in each pass. */
  public static Dataset<Path> listFiles(String pattern, Seed seed) {
    Objects.requireNonNull(seed, "listFiles: expected a seed, but got null; leave it out to sort");
    Site here = here();
    return of(
        new ShuffleOp(new ListFilesOp(pattern, here), Integer.MAX_VALUE - 16, seed, true, here));
  }

  /**
   * The elements that {@link #save(Path)} wrote, in their order. Skipping, resuming and random
   * access cost the same anywhere in the file; a file that is damaged or was changed is reported.
   */
  public static <T> Dataset<T> load(Path file) {
    return of(new LoadOp(file, List.of(), here()));
  }

  /**
   * The records that {@link #save(Path)} wrote. No class is loaded because a file names it, so the
   * class is named here, with those of records inside it that its components do not declare.
   */
  public static <T> Dataset<T> load(Path file, Class<T> type, Class<?>... parts) {
    List<Class<?>> records = new ArrayList<>(List.of(parts));
    records.addFirst(type);
    return of(new LoadOp(file, records, here()));
  }

  // ---- transformations --------------------------------------------------------------------------

  /** Applies a function to every element; it is never called concurrently. */
  public <R> Dataset<R> map(Fn<? super T, ? extends R> function) {
    return with(new MapOp(op, raw(function), Parallelism.SEQUENTIAL, Order.ORDERED, false, here()));
  }

  /** Applies a function with {@code parallelism} calls in flight; results keep their order. */
  public <R> Dataset<R> map(Fn<? super T, ? extends R> function, int parallelism) {
    return map(function, parallelism, Order.DEFAULT);
  }

  /** Applies a function with {@code parallelism} calls in flight. */
  public <R> Dataset<R> map(Fn<? super T, ? extends R> function, int parallelism, Order order) {
    return with(new MapOp(op, raw(function), calls("map", parallelism), order, false, here()));
  }

  /**
   * Makes the {@link #map(Fn) map} before it read nothing ahead: the function is called only for
   * elements that were asked for.
   */
  public Dataset<T> synchronous() {
    if (op instanceof MapOp map && map.parallelism() == Parallelism.SEQUENTIAL) {
      return with(
          new MapOp(
              map.input(), map.function(), Parallelism.SEQUENTIAL, map.order(), true, map.site()));
    }
    throw new IllegalStateException(
        "synchronous: expected to follow map(f) without parallelism, but follows " + op.word());
  }

  /**
   * Applies a function that draws random numbers. Each element has a generator of its own, so the
   * result does not depend on threads.
   */
  public <R> Dataset<R> randomMap(RandomFn<? super T, ? extends R> function, Seed seed) {
    return with(
        new RandomMapOp(op, raw(function), seed, Parallelism.SEQUENTIAL, Order.ORDERED, here()));
  }

  /** Applies a function that draws random numbers, with {@code parallelism} calls in flight. */
  public <R> Dataset<R> randomMap(
      RandomFn<? super T, ? extends R> function, Seed seed, int parallelism) {
    return with(
        new RandomMapOp(
            op, raw(function), seed, calls("randomMap", parallelism), Order.DEFAULT, here()));
  }

  /** Keeps the elements for which a condition holds. */
  public Dataset<T> filter(Condition<? super T> condition) {
    return with(new FilterOp(op, raw(condition), Parallelism.SEQUENTIAL, Order.ORDERED, here()));
  }

  /** Keeps the elements for which a condition holds, with {@code parallelism} calls in flight. */
  public Dataset<T> filter(Condition<? super T> condition, int parallelism) {
    return filter(condition, parallelism, Order.DEFAULT);
  }

  /** Keeps the elements for which a condition holds, with {@code parallelism} calls in flight. */
  public Dataset<T> filter(Condition<? super T> condition, int parallelism, Order order) {
    return with(new FilterOp(op, raw(condition), calls("filter", parallelism), order, here()));
  }

  /**
   * Makes a dataset of each element and takes turns among {@code cycle} of them, {@code block}
   * elements at a time.
   */
  public <R> Dataset<R> interleave(
      Fn<? super T, ? extends Plan<R>> function, int cycle, int block) {
    return with(new InterleaveOp(op, raw(function), cycle, block, Parallelism.SEQUENTIAL, here()));
  }

  /** As {@link #interleave(Fn, int, int)}, with up to {@code parallelism} datasets read ahead. */
  public <R> Dataset<R> interleave(
      Fn<? super T, ? extends Plan<R>> function, int cycle, int block, int parallelism) {
    return with(
        new InterleaveOp(
            op, raw(function), cycle, block, calls("interleave", parallelism), here()));
  }

  /** Gives the elements in random order, drawn from a buffer; the seed is drawn at open. */
  public Dataset<T> shuffle(long buffer) {
    return with(new ShuffleOp(op, buffer, null, true, here()));
  }

  /** Gives the elements in random order, drawn from a buffer: tf.data's order for this seed. */
  public Dataset<T> shuffle(long buffer, Seed seed) {
    return shuffle(buffer, seed, true);
  }

  /**
   * As {@link #shuffle(long, Seed)}; {@code reshuffle} says whether each pass has its own order.
   */
  public Dataset<T> shuffle(long buffer, Seed seed, boolean reshuffle) {
    Objects.requireNonNull(
        seed, "shuffle: expected a seed, but got null; leave it out to draw one");
    return with(new ShuffleOp(op, buffer, seed, reshuffle, here()));
  }

  /**
   * Groups consecutive elements, which must be structures: tensors gain a leading dimension. The
   * last batch may be smaller.
   */
  public Dataset<T> batch(int size) {
    return batch(size, false);
  }

  /** Groups consecutive elements; {@code dropRemainder} drops a last batch that is not full. */
  public Dataset<T> batch(int size, boolean dropRemainder) {
    return with(new BatchOp(op, size, dropRemainder, null, here()));
  }

  /** Groups consecutive elements of any type by a function of the user. */
  public <B> Dataset<B> batch(int size, Collator<? super T, ? extends B> collator) {
    return batch(size, collator, false);
  }

  /** Groups consecutive elements of any type by a function of the user. */
  public <B> Dataset<B> batch(
      int size, Collator<? super T, ? extends B> collator, boolean dropRemainder) {
    Objects.requireNonNull(collator, "batch: expected a collator, but got null");
    return with(new BatchOp(op, size, dropRemainder, raw(collator), here()));
  }

  /** Gives the elements over and over, without end. */
  public Dataset<T> repeat() {
    return repeat(-1);
  }

  /** Gives the elements {@code count} times over. */
  public Dataset<T> repeat(long count) {
    return with(new RepeatOp(op, count, here()));
  }

  /** The first {@code count} elements. */
  public Dataset<T> take(long count) {
    return with(new TakeOp(op, count, here()));
  }

  /** Keeps the elements of the first whole pass in memory for later ones. */
  public Dataset<T> cache() {
    return with(new CacheOp(op, here()));
  }

  /** Reads up to {@code buffer} elements ahead on a thread of its own. */
  public Dataset<T> prefetch(int buffer) {
    return with(new PrefetchOp(op, buffer, here()));
  }

  /**
   * Keeps the elements of the first whole pass in a file for later ones, also those of other
   * pipelines and processes. The file is used as long as the plan before it, its functions and the
   * files it reads are the same, and is made again otherwise; a warning says why. A file that is
   * not finished is never used. While one pipeline writes it, others run without it.
   */
  public Dataset<T> cache(Path file) {
    return cache(file, Compression.NONE);
  }

  /** As {@link #cache(Path)}, with the file packed. */
  public Dataset<T> cache(Path file, Compression compression) {
    return with(new CacheFileOp(op, file, false, compression, here()));
  }

  /**
   * As {@link #cache(Path)}, with a file of its own in {@code folder} for each plan, named by its
   * {@link #fingerprint()}: a changed plan leaves the files of others alone, and finds its own
   * again when it is changed back.
   */
  public Dataset<T> snapshot(Path folder) {
    return snapshot(folder, Compression.NONE);
  }

  /** As {@link #snapshot(Path)}, with the files packed. */
  public Dataset<T> snapshot(Path folder, Compression compression) {
    return with(new CacheFileOp(op, folder, true, compression, here()));
  }

  /** Passes over elements that failed, however many; the first one is logged. */
  public Dataset<T> ignoreErrors() {
    return ignoreErrors(ErrorBudget.unlimited());
  }

  /**
   * Passes over elements that failed. When there are more in a pass than the budget allows, the
   * pipeline ends with an error that says how many there were and names the last ones. What cannot
   * be passed, such as a missing file, is still thrown.
   */
  public Dataset<T> ignoreErrors(ErrorBudget budget) {
    return with(new IgnoreErrorsOp(op, budget, null, here()));
  }

  /**
   * As {@link #ignoreErrors(ErrorBudget)}; failures are written to a file, a line of JSON each,
   * when the consumer passes them. A line that is there from an earlier run is not written again.
   */
  public Dataset<T> ignoreErrors(ErrorBudget budget, Path deadLetters) {
    Objects.requireNonNull(
        deadLetters, "ignoreErrors: expected a file, but got null; leave it out to write none");
    return with(new IgnoreErrorsOp(op, budget, deadLetters, here()));
  }

  /** Gives the last operator a name, for messages and reports. */
  public Dataset<T> named(String name) {
    return with(OpShape.of(op.getClass()).withSite(op, op.site().named(name)));
  }

  /** Adds an operator of one's own, made from this one's and the line that adds it. */
  public <R> Dataset<R> append(BiFunction<? super Op, ? super Site, ? extends Op> operator) {
    return with(operator.apply(op, here()));
  }

  /** Sets how the pipeline is to be run. */
  public Dataset<T> options(Options newOptions) {
    return new Dataset<>(op, newOptions);
  }

  /** Changes how the pipeline is to be run: {@code options(o -> o.epochs(5))}. */
  public Dataset<T> options(UnaryOperator<Options> change) {
    return new Dataset<>(op, change.apply(options));
  }

  // ---- looking at it ----------------------------------------------------------------------------

  @Override
  public Op op() {
    return op;
  }

  public Options options() {
    return options;
  }

  /** How many elements one pass gives, {@link #INFINITE} or {@link #UNKNOWN}. */
  public long cardinality() {
    return op.cardinality();
  }

  /** The plan, last operator first, with the lines of the program that made it. */
  public String explain() {
    return PlanShape.of(op, options.isDeterministic()).explain();
  }

  /** A hash of everything that shapes elements and their order. */
  public String fingerprint() {
    return PlanShape.of(op, options.isDeterministic()).fingerprint();
  }

  @Override
  public String toString() {
    return explain();
  }

  // ---- running it -------------------------------------------------------------------------------

  /** Opens the pipeline at the start of epoch 0. */
  public Pipeline<T> open() {
    return new Pipeline<>(op, options, null);
  }

  /** Opens the pipeline where another one was when the checkpoint was taken. */
  public Pipeline<T> open(Checkpoint checkpoint) {
    return new Pipeline<>(op, options, checkpoint);
  }

  /** Runs one pass. */
  public void forEach(Consumer<? super T> action) {
    try (Pipeline<T> pipeline = open()) {
      for (T element : pipeline) {
        action.accept(element);
      }
    }
  }

  /** The first element; no more is read than it needs. */
  public Optional<T> first() {
    List<T> first = take(1).toList();
    return first.isEmpty() ? Optional.empty() : Optional.of(first.getFirst());
  }

  /** All elements of one pass; batches are the caller's to keep. */
  public List<T> toList() {
    List<T> elements = new ArrayList<>();
    options(options.ownedBatches(true)).forEach(elements::add);
    return elements;
  }

  /** One pass as a stream, which must be closed; batches are the caller's to keep. */
  public Stream<T> stream() {
    Pipeline<T> pipeline = options(options.ownedBatches(true)).open();
    return StreamSupport.stream(pipeline.spliterator(), false).onClose(pipeline::close);
  }

  /** Counts the elements of one pass by reading them. */
  public long count() {
    long[] count = new long[1];
    forEach(element -> count[0]++);
    return count[0];
  }

  /**
   * Runs one pass and writes its elements to a file that {@link #load(Path)} reads. The file is
   * there whole or not at all: an element that fails, or cannot be written, leaves none behind.
   *
   * @return how many elements were written
   */
  public long save(Path file) throws IOException {
    return save(file, Compression.NONE);
  }

  /** As {@link #save(Path)}, with the file packed. */
  public long save(Path file, Compression compression) throws IOException {
    if (cardinality() == INFINITE) {
      throw new IllegalArgumentException(
          "save: expected a dataset that ends, but got one that does not; use take(n)");
    }
    try (WriterLock lock = WriterLock.tryTake(file)) {
      if (lock == null) {
        throw new IOException(
            "save: expected to be the only one who writes %s, but another is writing it"
                .formatted(file));
      }
      try (ElementWriter writer = new ElementWriter(file, compression, new ElementCodec());
          Pipeline<T> pipeline = open()) {
        for (T element : pipeline) {
          write(element, writer);
        }
        writer.finish(Map.of("fingerprint", fingerprint()));
        return writer.elements();
      }
    }
  }

  private static void write(Object element, ElementWriter to) throws IOException {
    try {
      to.add(element, null, to.elements());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "save: expected elements that can be written, but element %d cannot be: %s; map it to one that can before"
              .formatted(to.elements(), e.getMessage()),
          e);
    }
  }

  /** The first {@code count} elements as text, one on a line. */
  public String show(int count) {
    StringBuilder text = new StringBuilder();
    take(count).forEach(element -> text.append(element).append(System.lineSeparator()));
    return text.toString();
  }

  // ---- inside -----------------------------------------------------------------------------------

  private <R> Dataset<R> with(Op next) {
    return new Dataset<>(next, options);
  }

  private static int calls(String word, int parallelism) {
    if (parallelism == Parallelism.SEQUENTIAL) {
      throw new IllegalArgumentException(
          word
              + ": expected a parallelism of at least 1 or AUTOTUNE, but got 0; leave it out to"
              + " call the function from one thread at a time");
    }
    return parallelism;
  }

  /** Operators work on elements of any type; the type parameters of this class keep them apart. */
  @SuppressWarnings({"unchecked", "NullAway"}) // the operator refuses null
  private static <F> F raw(@Nullable Object function) {
    return (F) function;
  }

  private static Site here() {
    return CALLERS.walk(
        frames ->
            frames
                .filter(frame -> frame.getDeclaringClass() != Dataset.class)
                .findFirst()
                .map(
                    frame ->
                        new Site(
                            frame.getFileName() == null ? "" : frame.getFileName(),
                            frame.getLineNumber(),
                            null))
                .orElse(Site.UNKNOWN));
  }
}
