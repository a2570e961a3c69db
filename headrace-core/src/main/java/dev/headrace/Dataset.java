package dev.headrace;

import dev.headrace.data.Seed;
import dev.headrace.op.BatchOp;
import dev.headrace.op.CacheOp;
import dev.headrace.op.ChooseFromOp;
import dev.headrace.op.FilterOp;
import dev.headrace.op.GroupByReducerOp;
import dev.headrace.op.InterleaveOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.op.MapOp;
import dev.headrace.op.PackOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.RandomMapOp;
import dev.headrace.op.RangeOp;
import dev.headrace.op.RejectionResampleOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.SampleFromOp;
import dev.headrace.op.ScanOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.TakeOp;
import dev.headrace.op.UniqueOp;
import dev.headrace.runtime.PlanShape;
import dev.headrace.spi.BiFn;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Condition;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packed;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Plan;
import dev.headrace.spi.RandomFn;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Resampled;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.Site;
import dev.headrace.spi.Weights;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /** How many rows {@link #pack(int, Packing)} keeps open. */
  private static final int PACKING_BINS = 32;

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
   * Takes each element from one of the datasets, drawn at random by weight: tf.data's choices for
   * this seed, the same in each pass. It ends when a dataset that has ended is drawn, so that the
   * shares never drift.
   */
  public static <T> Dataset<T> sampleFrom(
      List<? extends Dataset<? extends T>> datasets, double[] weights, Seed seed) {
    return sampleFrom(datasets, weights, seed, true);
  }

  /**
   * As {@link #sampleFrom(List, double[], Seed)}; {@code stopOnEmpty} false goes on with the other
   * datasets when one has ended, as tf.data does unless told otherwise.
   */
  public static <T> Dataset<T> sampleFrom(
      List<? extends Dataset<? extends T>> datasets,
      double[] weights,
      Seed seed,
      boolean stopOnEmpty) {
    Objects.requireNonNull(weights, "sampleFrom: expected weights, but got null");
    return sampleFrom(datasets, Weights.fixed(weights), seed, stopOnEmpty);
  }

  /**
   * As {@link #sampleFrom(List, double[], Seed)}, with weights that may be changed while pipelines
   * run; changes are noted in the weights and carried by checkpoints.
   */
  public static <T> Dataset<T> sampleFrom(
      List<? extends Dataset<? extends T>> datasets, Weights weights, Seed seed) {
    return sampleFrom(datasets, weights, seed, true);
  }

  /** As {@link #sampleFrom(List, double[], Seed, boolean)}, with weights that may be changed. */
  public static <T> Dataset<T> sampleFrom(
      List<? extends Dataset<? extends T>> datasets,
      Weights weights,
      Seed seed,
      boolean stopOnEmpty) {
    return of(new SampleFromOp(ops(datasets), weights, seed, stopOnEmpty, here()));
  }

  /**
   * Gives for each choice, a number from 0, the next element of that dataset. It ends with the
   * choices, or when a dataset that has ended is chosen. A number that is none of a dataset's is an
   * error in its place.
   */
  public static <T> Dataset<T> chooseFrom(
      List<? extends Dataset<? extends T>> datasets, Dataset<Long> choices) {
    return chooseFrom(datasets, choices, true);
  }

  /**
   * As {@link #chooseFrom(List, Dataset)}; {@code stopOnEmpty} false passes over the choices of a
   * dataset that has ended.
   */
  public static <T> Dataset<T> chooseFrom(
      List<? extends Dataset<? extends T>> datasets, Dataset<Long> choices, boolean stopOnEmpty) {
    Objects.requireNonNull(choices, "chooseFrom: expected a dataset of choices, but got null");
    return of(new ChooseFromOp(ops(datasets), choices.op, stopOnEmpty, here()));
  }

  private static List<Op> ops(List<? extends Dataset<?>> datasets) {
    return datasets.stream().map(Dataset::op).toList();
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
   * Applies a function to a running state and each element, which gives the next state and this
   * element's result. Where it fails, the state stays as it was. Checkpoints carry the state, which
   * must then be a structure or a plain value (number, text, array, or records and lists of them).
   */
  public <S, R> Dataset<R> scan(
      S initial, BiFn<? super S, ? super T, ? extends Scanned<S, R>> function) {
    return with(new ScanOp(op, new ScanOp.Initial(initial), raw(function), here()));
  }

  /**
   * Keeps the first of all equal elements; tensors and arrays are equal by content. What was met is
   * held in memory, within the heap budget.
   */
  public Dataset<T> unique() {
    return with(new UniqueOp(op, null, here()));
  }

  /** Keeps the first of all elements for which a function gives equal keys. */
  public Dataset<T> unique(Fn<? super T, ?> key) {
    Objects.requireNonNull(key, "unique: expected a function for keys, but got null");
    return with(new UniqueOp(op, raw(key), here()));
  }

  /**
   * Reads everything and gives one value for each group of elements with equal keys, in the order
   * of the keys.
   */
  public <K extends Comparable<? super K>, R> Dataset<R> groupByReducer(
      Fn<? super T, ? extends K> key, Reducer<? super K, ?, ? super T, ? extends R> reducer) {
    Objects.requireNonNull(reducer, "groupByReducer: expected a reducer, but got null");
    return with(
        new GroupByReducerOp(
            op,
            raw(key),
            raw(reducer.initial()),
            raw(reducer.reduce()),
            raw(reducer.finish()),
            here()));
  }

  /**
   * Drops elements at random so that the classes of those that are left have the shares {@code
   * target}. The shares before are estimated from the elements met so far. No element comes twice.
   */
  public Dataset<Resampled<T>> rejectionResample(
      Fn<? super T, ? extends Number> classOf, double[] target, Seed seed) {
    return rejectionResample(classOf, target, null, seed);
  }

  /**
   * Drops elements at random so that the classes of those that are left have the shares {@code
   * target}, where they had the shares {@code initial} before; null where that is not known.
   */
  public Dataset<Resampled<T>> rejectionResample(
      Fn<? super T, ? extends Number> classOf,
      double[] target,
      double @Nullable [] initial,
      Seed seed) {
    Objects.requireNonNull(target, "rejectionResample: expected target shares, but got null");
    return with(
        new RejectionResampleOp(
            op,
            raw(classOf),
            Arrays.stream(target).boxed().toList(),
            initial == null ? null : Arrays.stream(initial).boxed().toList(),
            seed,
            here()));
  }

  /**
   * Packs sequences of different lengths into rows of one length, padded with 0, keeping up to 32
   * rows open. A sequence is a tensor of rank 1, a {@code long[]} or {@code int[]}, or a structure
   * of tensors of rank 1 and one length.
   */
  public Dataset<Packed<T>> pack(int length, Packing packing) {
    return pack(length, packing, PACKING_BINS, 0);
  }

  /**
   * As {@link #pack(int, Packing)}, with up to {@code bins} rows open at once and another value for
   * padding.
   */
  public Dataset<Packed<T>> pack(int length, Packing packing, int bins, long padding) {
    return with(new PackOp(op, length, packing, bins, padding, here()));
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
   * Applies a function to a running state and each element of one pass, and gives the last state.
   * The first element or call that fails ends it.
   */
  public <S> S reduce(S initial, BiFn<? super S, ? super T, ? extends S> function) {
    Objects.requireNonNull(function, "reduce: expected a function, but got null");
    S state = Objects.requireNonNull(initial, "reduce: expected an initial state, but got null");
    try (Pipeline<T> pipeline = options(options.ownedBatches(true)).open()) {
      for (T element : pipeline) {
        try {
          state =
              Objects.requireNonNull(
                  function.apply(state, element),
                  "expected the function to return a state, but it returned null");
        } catch (Exception e) {
          if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
          }
          throw new PipelineException("reduce", null, 0, e, true);
        }
      }
    }
    return state;
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
