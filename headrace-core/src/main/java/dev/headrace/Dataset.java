package dev.headrace;

import dev.headrace.data.Buckets;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.Indexed;
import dev.headrace.data.Padded;
import dev.headrace.data.Padding;
import dev.headrace.data.Pair;
import dev.headrace.data.Ragged;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecords;
import dev.headrace.data.WriterLock;
import dev.headrace.device.Device;
import dev.headrace.op.AssertCardinalityOp;
import dev.headrace.op.BatchOp;
import dev.headrace.op.BucketBySequenceLengthOp;
import dev.headrace.op.CacheFileOp;
import dev.headrace.op.CacheOp;
import dev.headrace.op.ChooseFromOp;
import dev.headrace.op.ConcatenateOp;
import dev.headrace.op.CounterOp;
import dev.headrace.op.CsvOp;
import dev.headrace.op.EnumerateOp;
import dev.headrace.op.FilterOp;
import dev.headrace.op.FixedLengthRecordsOp;
import dev.headrace.op.FlatMapOp;
import dev.headrace.op.FromListOp;
import dev.headrace.op.FromTensorSlicesOp;
import dev.headrace.op.FromTensorsOp;
import dev.headrace.op.GeneratorOp;
import dev.headrace.op.GlobalShuffleOp;
import dev.headrace.op.GroupByReducerOp;
import dev.headrace.op.GroupByWindowOp;
import dev.headrace.op.IgnoreErrorsOp;
import dev.headrace.op.InterleaveOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.op.LoadOp;
import dev.headrace.op.MapOp;
import dev.headrace.op.PackOp;
import dev.headrace.op.PadToCardinalityOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.PrefetchToDeviceOp;
import dev.headrace.op.RandomMapOp;
import dev.headrace.op.RandomOp;
import dev.headrace.op.RangeOp;
import dev.headrace.op.RebatchOp;
import dev.headrace.op.RejectionResampleOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.SampleFromOp;
import dev.headrace.op.ScanOp;
import dev.headrace.op.ShardByRankOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.SplitOp;
import dev.headrace.op.TakeOp;
import dev.headrace.op.TakeWhileOp;
import dev.headrace.op.TextLinesOp;
import dev.headrace.op.TfRecordsOp;
import dev.headrace.op.UnbatchOp;
import dev.headrace.op.UniqueOp;
import dev.headrace.op.WindowOp;
import dev.headrace.op.ZipOp;
import dev.headrace.optimize.Optimizer;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Finding;
import dev.headrace.profile.Linter;
import dev.headrace.runtime.PlanShape;
import dev.headrace.spi.Access;
import dev.headrace.spi.BiFn;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Condition;
import dev.headrace.spi.ElementWriter;
import dev.headrace.spi.ElementwiseFn;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.spi.FileLine;
import dev.headrace.spi.Fn;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Generator;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packed;
import dev.headrace.spi.Packing;
import dev.headrace.spi.PaddedStacking;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Plan;
import dev.headrace.spi.PlanDepth;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.PureFn;
import dev.headrace.spi.RandomFn;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Resampled;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.ShardMode;
import dev.headrace.spi.Site;
import dev.headrace.spi.Weights;
import dev.headrace.text.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
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
    PlanDepth.check(op);
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

  /** These elements, as they are. (An operator alone is taken as a plan, see {@link #of(Op)}.) */
  @SafeVarargs
  public static <T> Dataset<T> of(T first, T... more) {
    List<T> elements = new ArrayList<>();
    elements.add(first);
    elements.addAll(Arrays.asList(more));
    return of(FromListOp.of(elements, here()));
  }

  /** The elements of a list, as they are; the list is copied. */
  public static <T> Dataset<T> fromList(List<? extends T> elements) {
    return of(FromListOp.of(elements, here()));
  }

  /** One element: a tensor, or a record, map or list of tensors. */
  public static <T> Dataset<T> fromTensors(T element) {
    return of(FromTensorsOp.of(element, here()));
  }

  /**
   * The rows of a tensor, or of all tensors of a record, map or list: element {@code i} has the
   * same structure, with row {@code i} of each. Nothing is copied.
   */
  public static <T> Dataset<T> fromTensorSlices(T tensors) {
    return of(FromTensorSlicesOp.of(tensors, here()));
  }

  /** The numbers 0, 1, 2, …, without end. */
  public static Dataset<Long> counter() {
    return of(new CounterOp(0, 1, here()));
  }

  /** The numbers from {@code start} by {@code step}, without end. */
  public static Dataset<Long> counter(long start, long step) {
    return of(new CounterOp(start, step, here()));
  }

  /**
   * Random numbers from 0 to below 2³², without end: tf.data's stream for this seed, the same in
   * each pass.
   */
  public static Dataset<Long> random(Seed seed) {
    return random(seed, false);
  }

  /**
   * As {@link #random(Seed)}; {@code rerandomize} says whether each pass has numbers of its own.
   */
  public static Dataset<Long> random(Seed seed, boolean rerandomize) {
    return of(new RandomOp(seed, rerandomize, here()));
  }

  /**
   * The elements of an iterator; each pass makes a new one: {@code generator(queue::iterator)}. An
   * exception of {@code next()} is the failure of that element, and the iterator is asked on; one
   * while it is made is the end. Such a pipeline has no checkpoints, because it is not known
   * whether another iterator gives the same; see {@link #repeatableGenerator}.
   */
  public static <T> Dataset<T> generator(Generator<? extends T> generator) {
    return of(new GeneratorOp(raw(generator), false, here()));
  }

  /**
   * As {@link #generator}, where the user promises that each iterator gives the same elements. A
   * resumed pipeline runs the iterator again and passes over what was delivered.
   */
  public static <T> Dataset<T> repeatableGenerator(Generator<? extends T> generator) {
    return of(new GeneratorOp(raw(generator), true, here()));
  }

  /**
   * The lines of the files that match a pattern, one file after the other, as UTF-8. As in tf.data
   * a line ends at a line feed, and every carriage return is removed. A file that is not there is
   * the end.
   */
  public static Dataset<String> textLines(String pattern) {
    return textLines(InputFiles.matching(pattern));
  }

  /** The lines of a file, see {@link #textLines(String)}. */
  public static Dataset<String> textLines(Path file) {
    return textLines(InputFiles.of(file));
  }

  /** The lines of files, which may be packed, see {@link #textLines(String)}. */
  public static Dataset<String> textLines(InputFiles files) {
    return of(new TextLinesOp(files, false, false, here()));
  }

  /** As {@link #textLines(InputFiles)}, each line as its bytes. */
  public static Dataset<byte[]> textLinesAsBytes(InputFiles files) {
    return of(new TextLinesOp(files, true, false, here()));
  }

  /** Records of {@code recordBytes} bytes from the files that match a pattern. */
  public static Dataset<byte[]> fixedLengthRecords(String pattern, int recordBytes) {
    return fixedLengthRecords(InputFiles.matching(pattern), recordBytes, 0, 0);
  }

  /**
   * Records of {@code recordBytes} bytes, one file after the other, without the first {@code
   * headerBytes} and the last {@code footerBytes} of each file. A file that does not fit is the
   * end.
   */
  public static Dataset<byte[]> fixedLengthRecords(
      InputFiles files, int recordBytes, int headerBytes, int footerBytes) {
    return of(new FixedLengthRecordsOp(files, recordBytes, headerBytes, footerBytes, here()));
  }

  /**
   * The rows of the files of separated values that match a pattern, as maps of tensors by the names
   * in their header; types are inferred, see {@link Csv#inferred}.
   */
  public static Dataset<Map<String, Tensor>> csv(String pattern) {
    return csv(InputFiles.matching(pattern), Csv.inferred());
  }

  /** The rows of the files that match a pattern, as maps of tensors; {@code format} says how. */
  public static Dataset<Map<String, Tensor>> csv(String pattern, Csv format) {
    return csv(InputFiles.matching(pattern), format);
  }

  /**
   * The rows of files of separated values, as maps of tensors. A row that does not fit is a
   * failure, with its line and column, and reading goes on.
   */
  public static Dataset<Map<String, Tensor>> csv(InputFiles files, Csv format) {
    return of(new CsvOp(files, format, null, here()));
  }

  /**
   * The rows of the files that match a pattern, as records. Components are numbers, booleans,
   * Strings or scalar Tensors, and are found by their names in the header, where {@code
   * petal_length} stands for {@code petalLength}. Where a value is missing, a component that is an
   * object is null, or the empty String, and one of a primitive type makes the row a failure.
   */
  public static <R extends Record> Dataset<R> csv(String pattern, Class<R> rowClass) {
    return csv(InputFiles.matching(pattern), Csv.inferred(), rowClass);
  }

  /**
   * As {@link #csv(String, Class)}; columns that {@code format} declares give types to tensors and
   * defaults.
   */
  public static <R extends Record> Dataset<R> csv(InputFiles files, Csv format, Class<R> rowClass) {
    Objects.requireNonNull(rowClass, "csv: expected the class of a record, but got null");
    return of(new CsvOp(files, format, rowClass, here()));
  }

  /**
   * The objects of the JSON Lines files that match a pattern, one in each line, as maps of tensors
   * by the names of their members, see {@link Json#parser()}. Blank lines are passed over; a line
   * that does not fit is a failure that names file and line, and reading goes on.
   */
  public static Dataset<Map<String, Tensor>> jsonLines(String pattern) {
    return placedLines(InputFiles.matching(pattern)).map(Json.ofLines(Json.parser()));
  }

  /**
   * The objects of the JSON Lines files that match a pattern, as records, see {@link
   * Json#parser(Class)}.
   */
  public static <R extends Record> Dataset<R> jsonLines(String pattern, Class<R> type) {
    return jsonLines(InputFiles.matching(pattern), type);
  }

  /** As {@link #jsonLines(String, Class)}, from files that may be packed. */
  public static <R extends Record> Dataset<R> jsonLines(InputFiles files, Class<R> type) {
    return placedLines(files).map(Json.ofLines(Json.parser(type)));
  }

  private static Dataset<FileLine> placedLines(InputFiles files) {
    Dataset<FileLine> lines = of(new TextLinesOp(files, false, true, here()));
    return lines.filter(Json.notBlankLines());
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
   * As {@link #sampleFrom(List, double[], Seed)}, with weights that follow a schedule ({@link
   * Weights#at}) or may be changed while pipelines run; changes are noted in the weights, carried
   * by checkpoints, and can be replayed.
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

  /**
   * The records of the TFRecord files that match a pattern, one file after the other, as scalar
   * tensors of bytes. Both checksums of each record are checked. What is damaged is a failure that
   * names file, byte and record; the rest of that file is lost, and the next one is read. A file
   * that is not there is the end.
   *
   * <p>Files that are not packed are mapped into memory where that pays, and records are pieces of
   * it; such a file must not be cut or written to while its records are used.
   */
  public static Dataset<Tensor> tfRecords(String pattern) {
    return tfRecords(InputFiles.matching(pattern));
  }

  /** The records of a TFRecord file, see {@link #tfRecords(String)}. */
  public static Dataset<Tensor> tfRecords(Path file) {
    return tfRecords(InputFiles.of(file));
  }

  /** The records of TFRecord files, which may be packed, see {@link #tfRecords(String)}. */
  public static Dataset<Tensor> tfRecords(InputFiles files) {
    return tfRecords(files, TfRecords.defaults());
  }

  /**
   * The records of TFRecord files, see {@link #tfRecords(String)}; {@code settings} say what is
   * done about damage, and whether files have an index.
   */
  public static Dataset<Tensor> tfRecords(InputFiles files, TfRecords settings) {
    return of(new TfRecordsOp(files, settings, here()));
  }

  // ---- functions --------------------------------------------------------------------------------

  /**
   * Declares that a function gives the same result for the same element, no matter which thread
   * calls it and when, and has no other visible effect: {@code map(pure(x -> decode(x)))}. It may
   * then be called by several threads at once, where that was measured to help; results keep their
   * order. For a function that is already there, write {@code pure(decode::apply)}.
   */
  public static <A, B> Fn<A, B> pure(PureFn<A, B> function) {
    return Objects.requireNonNull(function, "pure: expected a function, but got null");
  }

  /**
   * Declares that a function on tensors, or structures of them, treats each number or row by
   * itself, so that it gives the same for a batch as for each of its elements: {@code
   * map(elementwise(x -> x.scale(2)))}. It must be {@link #pure}, must not fail, and must not look
   * at the shape. Directly before {@link #batch(int)} it is then called once for each batch.
   */
  public static <A, B> Fn<A, B> elementwise(ElementwiseFn<A, B> function) {
    return Objects.requireNonNull(function, "elementwise: expected a function, but got null");
  }

  // ---- transformations --------------------------------------------------------------------------

  /**
   * Applies a function to every element; it is never called concurrently, unless it is {@link
   * #pure} or one of the library's.
   */
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
    return with(
        new FilterOp(op, raw(condition), Parallelism.SEQUENTIAL, Order.ORDERED, null, here()));
  }

  /** Keeps the elements for which a condition holds, with {@code parallelism} calls in flight. */
  public Dataset<T> filter(Condition<? super T> condition, int parallelism) {
    return filter(condition, parallelism, Order.DEFAULT);
  }

  /** Keeps the elements for which a condition holds, with {@code parallelism} calls in flight. */
  public Dataset<T> filter(Condition<? super T> condition, int parallelism, Order order) {
    return with(
        new FilterOp(op, raw(condition), calls("filter", parallelism), order, null, here()));
  }

  /**
   * Declares of the {@link #filter(Condition) filter} before it that it may be asked before the
   * last {@code maps} maps in front of it: its condition takes what they were given, too, and gives
   * the same answer. What it drops is then not mapped at all, so maps cannot fail for it either,
   * and nothing else that their functions do is missed.
   */
  public Dataset<T> beforeMaps(int maps) {
    if (maps < 1) {
      throw new IllegalArgumentException("beforeMaps: expected at least 1 map, but got " + maps);
    }
    if (op instanceof FilterOp filter) {
      return with(
          new FilterOp(
              filter.input(),
              filter.condition(),
              filter.parallelism(),
              filter.order(),
              maps,
              filter.site()));
    }
    throw new IllegalStateException(
        "beforeMaps: expected to follow filter, but follows " + op.word());
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
   *
   * <p>Numbers, booleans, texts and arrays of them are batched as tensors too. A batch of them
   * cannot have the type {@code T}: numbers make a {@link Tensor}, and a record with a component
   * that is no tensor makes a {@code Map<String, Tensor>} with its components' names. To have that
   * type, say {@code batch(n, Collator.stack())} or {@code batch(n, Collator.columns())}.
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

  /**
   * Groups consecutive elements, which must be structures, where lengths differ: each dimension is
   * filled with zeros up to the longest of the batch. Scalars and arrays: {@code batch(n,
   * Collator.pad())}.
   */
  public Dataset<T> paddedBatch(int size) {
    return paddedBatch(size, Padding.zeros(), false);
  }

  /**
   * Groups consecutive elements, filled up to the shapes and with the values that {@code padding}
   * says. An element larger than a fixed shape costs its batch.
   */
  public Dataset<T> paddedBatch(int size, Padding padding) {
    return paddedBatch(size, padding, false);
  }

  /** As above; {@code dropRemainder} drops a last batch that is not full. */
  public Dataset<T> paddedBatch(int size, Padding padding, boolean dropRemainder) {
    Objects.requireNonNull(padding, "paddedBatch: expected a padding, but got null");
    return with(new BatchOp(op, size, dropRemainder, PaddedStacking.ofStructures(padding), here()));
  }

  /**
   * Groups consecutive arrays or tensors whose first dimensions differ, one behind the other.
   * Structures of several: {@code batch(n, Collator.byLeaf(Collator.ragged()))}.
   */
  public Dataset<Ragged> raggedBatch(int size) {
    return raggedBatch(size, false);
  }

  /** As {@link #raggedBatch(int)}; {@code dropRemainder} drops a last batch that is not full. */
  public Dataset<Ragged> raggedBatch(int size, boolean dropRemainder) {
    return with(new BatchOp(op, size, dropRemainder, raw(Collator.ragged()), here()));
  }

  /**
   * Groups consecutive arrays or tensors into sparse ones, whose values are all of theirs, zeros
   * too.
   *
   * @param rowShape that each fits into; unknown dimensions are the longest of the batch
   */
  public Dataset<Sparse> sparseBatch(int size, Shape rowShape) {
    return sparseBatch(size, rowShape, false);
  }

  /** As above; {@code dropRemainder} drops a last batch that is not full. */
  public Dataset<Sparse> sparseBatch(int size, Shape rowShape, boolean dropRemainder) {
    return with(new BatchOp(op, size, dropRemainder, raw(Collator.sparse(rowShape)), here()));
  }

  /** Takes batches apart: each row of the first dimension of all tensors becomes an element. */
  public Dataset<T> unbatch() {
    return with(new UnbatchOp(op, null, here()));
  }

  /** Takes batches of any type apart: {@code unbatch(list -> list)}. */
  public <R> Dataset<R> unbatch(Fn<? super T, ? extends List<? extends R>> items) {
    Objects.requireNonNull(items, "unbatch: expected a function, but got null");
    return with(new UnbatchOp(op, raw(items), here()));
  }

  /**
   * Makes batches of these sizes, taken in turn, out of batches: unbatch and batch with one copy.
   */
  public Dataset<T> rebatch(int... sizes) {
    return rebatch(Arrays.stream(sizes).boxed().toList(), false);
  }

  /** Makes batches of another size; {@code dropRemainder} drops a last one that is not full. */
  public Dataset<T> rebatch(int size, boolean dropRemainder) {
    return rebatch(List.of(size), dropRemainder);
  }

  /** As {@link #rebatch(int...)}; {@code dropRemainder} drops a last batch that is not full. */
  public Dataset<T> rebatch(List<Integer> sizes, boolean dropRemainder) {
    return with(new RebatchOp(op, sizes, dropRemainder, here()));
  }

  /**
   * Groups consecutive elements into windows, each a dataset of its own: {@code window(3).flatMap(w
   * -> w.batch(3))}.
   */
  public Dataset<Dataset<T>> window(int size) {
    return window(size, size, 1, false);
  }

  /**
   * Groups elements into windows, each a dataset of its own.
   *
   * @param shift how many elements further each window begins; windows overlap if it is less than
   *     {@code size}
   * @param stride the distance of two elements in a window; 1 for neighbours
   * @param dropRemainder whether windows that are not full at the end are dropped
   */
  public Dataset<Dataset<T>> window(int size, int shift, int stride, boolean dropRemainder) {
    return with(new WindowOp(op, size, shift, stride, dropRemainder, AsDataset.FUNCTION, here()));
  }

  /**
   * Collects elements of one key into windows of {@code size} and makes a dataset of each when it
   * is full; at the end of those that are left, in the order of their keys.
   */
  public <K extends Comparable<? super K>, R> Dataset<R> groupByWindow(
      Fn<? super T, ? extends K> key,
      BiFn<? super K, ? super Dataset<T>, ? extends Plan<R>> reduce,
      int size) {
    return with(
        new GroupByWindowOp(op, raw(key), raw(reduce), size, null, AsDataset.FUNCTION, here()));
  }

  /** As above, with a size for each key. */
  public <K extends Comparable<? super K>, R> Dataset<R> groupByWindow(
      Fn<? super T, ? extends K> key,
      BiFn<? super K, ? super Dataset<T>, ? extends Plan<R>> reduce,
      Fn<? super K, ? extends Number> sizeOf) {
    return with(
        new GroupByWindowOp(
            op, raw(key), raw(reduce), null, raw(sizeOf), AsDataset.FUNCTION, here()));
  }

  /**
   * Batches structures of similar length together, so that little is padded.
   *
   * @param length of an element
   */
  public Dataset<T> bucketBySequenceLength(
      Fn<? super T, ? extends Number> length, Buckets buckets) {
    return with(new BucketBySequenceLengthOp(op, raw(length), buckets, here()));
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

  /**
   * Copies the elements of the first whole pass to a device and keeps them there for later ones,
   * which copy nothing: {@link #prefetchToDevice} and {@link #cache()}. For datasets that fit the
   * device's memory; where one does not, the pipeline ends with the size that was needed. What is
   * to be drawn again in each epoch goes behind it: {@code cache(device).mapOnDevice(…)}.
   */
  public Dataset<T> cache(Device device) {
    return prefetchToDevice(device).cache();
  }

  /** Reads up to {@code buffer} elements ahead on a thread of its own. */
  public Dataset<T> prefetch(int buffer) {
    if (buffer < AUTOTUNE) {
      throw new IllegalArgumentException(
          "prefetch: expected a buffer of at least 0 elements or AUTOTUNE, but got " + buffer);
    }
    return with(new PrefetchOp(op, buffer, here()));
  }

  /**
   * Copies batches to a device while the consumer works on the one before; as {@link
   * #prefetchToDevice(Device, int)} with AUTOTUNE: one batch to work on, one on its way.
   */
  public Dataset<T> prefetchToDevice(Device device) {
    return prefetchToDevice(device, AUTOTUNE);
  }

  /**
   * Copies the tensors of each element to a device on a thread of its own, holding {@code buffer}
   * elements there, the consumer's included. Put it last: an element's device memory is taken again
   * when the next one is asked for, and {@link Pipeline#keep} holds it longer. The device is the
   * caller's to close, after the pipeline.
   */
  public Dataset<T> prefetchToDevice(Device device, int buffer) {
    Objects.requireNonNull(device, "prefetchToDevice: expected a device, but got null");
    return prefetchToDevice(List.of(device), buffer);
  }

  /** As {@link #prefetchToDevice(List, int)} with AUTOTUNE. */
  public Dataset<T> prefetchToDevice(List<Device> devices) {
    return prefetchToDevice(devices, AUTOTUNE);
  }

  /**
   * Deals elements to several devices in turn: the first to the first device, and so on, each with
   * {@code buffer} elements of its own there; order is kept. {@link Tensor#place} says where an
   * element is. To give each device a part of the files instead, open a pipeline for each: {@code
   * files.shard(2, i)…prefetchToDevice(Device.gpu(i))}.
   */
  public Dataset<T> prefetchToDevice(List<Device> devices, int buffer) {
    return with(new PrefetchToDeviceOp(op, devices, buffer, List.of(), here()));
  }

  /**
   * Computes on the device what {@code function} says of each element that {@link
   * #prefetchToDevice} copied there, while the consumer works on the one before.
   *
   * <p>The function is given tensors on the device and describes what to compute of them: {@code x
   * -> x.resize(224, 224).convert(FLOAT32)}, {@code x -> x.square().sum()}. It cannot read
   * elements. Strings stay on the host and can be decoded: {@code files -> files.mapRows(file ->
   * Images.decodeJpeg(file).resize(224, 224))}. Results may differ in the last bits from those of
   * the host; {@code docs/guides/devices.md} says by how much.
   *
   * @throws IllegalStateException if this is not what {@code prefetchToDevice} made
   */
  public <R> Dataset<R> mapOnDevice(Fn<? super T, ? extends R> function) {
    if (op instanceof CacheOp cached && cached.input() instanceof PrefetchToDeviceOp before) {
      return prefetchToDevice(before.devices()).mapOnDevice(function);
    }
    if (!(op instanceof PrefetchToDeviceOp there)) {
      throw new IllegalStateException(
          "mapOnDevice: expected a dataset on a device, but this one ends in %s; write prefetchToDevice(device) right before it"
              .formatted(op.word()));
    }
    List<Fn<Object, Object>> functions = new ArrayList<>(there.functions());
    functions.add(raw(function));
    return with(
        new PrefetchToDeviceOp(
            there.input(), there.devices(), there.buffer(), functions, there.site()));
  }

  /**
   * Makes a dataset of each element and gives their elements, one dataset after the other: {@link
   * #interleave(Fn, int, int)} of one at a time.
   */
  public <R> Dataset<R> flatMap(Fn<? super T, ? extends Plan<R>> function) {
    return with(new FlatMapOp(op, raw(function), here()));
  }

  /**
   * All but the first {@code count} elements; none where it is −1. It gives what {@link #take}
   * leaves, so failures are not counted but delivered, and functions are called for what is
   * skipped, unless nothing before it can fail: put it before {@code map} where that matters.
   */
  public Dataset<T> skip(long count) {
    return with(new SkipOp(op, count, here()));
  }

  /**
   * The elements before the first one for which a condition does not hold. What comes after it may
   * have been made already, but is not delivered.
   */
  public Dataset<T> takeWhile(Condition<? super T> condition) {
    return with(new TakeWhileOp(op, raw(condition), here()));
  }

  /** Numbers the elements from 0 on; a failed element uses up its number. */
  public Dataset<Indexed<T>> enumerate() {
    return enumerate(0);
  }

  /** Numbers the elements from {@code start} on; a failed element uses up its number. */
  public Dataset<Indexed<T>> enumerate(long start) {
    return with(new EnumerateOp(op, start, here()));
  }

  /**
   * The elements of this dataset, then those of the others, with this one's options. Datasets that
   * were concatenated before, and not {@link #named}, become one with them: a loop that appends one
   * after the other makes a plan of one operator.
   */
  @SafeVarargs
  public final Dataset<T> concatenate(Dataset<? extends T>... others) {
    List<Op> inputs = new ArrayList<>(parts(op));
    for (Dataset<? extends T> other : others) {
      inputs.addAll(parts(other.op));
    }
    return with(new ConcatenateOp(inputs, here()));
  }

  private static List<Op> parts(Op op) {
    return op instanceof ConcatenateOp all && all.site().name() == null
        ? all.inputs()
        : List.of(op);
  }

  /**
   * Elements of two datasets side by side, up to the end of the shorter. Where one fails, the pair
   * is that error, and the next pair is whole again. A dataset may be zipped with itself.
   */
  public <U> Dataset<Pair<T, U>> zip(Dataset<U> other) {
    return with(new ZipOp(List.of(op, other.op), false, null, here()));
  }

  /** As {@link #zip(Dataset)}, with a function that makes one element of two. */
  public <U, R> Dataset<R> zip(Dataset<U> other, BiFn<? super T, ? super U, ? extends R> function) {
    Objects.requireNonNull(function, "zip: expected a function, but got null");
    return with(new ZipOp(List.of(op, other.op), false, raw(function), here()));
  }

  /** Elements of any number of datasets side by side, as rows; with the options of the first. */
  public static Dataset<List<Object>> zip(List<? extends Dataset<?>> datasets) {
    List<Op> inputs = new ArrayList<>();
    for (Dataset<?> dataset : datasets) {
      inputs.add(dataset.op);
    }
    Op rows = new ZipOp(inputs, true, null, here());
    Dataset<?> first = datasets.getFirst();
    return new Dataset<>(rows, first.options);
  }

  /**
   * Every {@code count}-th element, from number {@code index} on; all shards together are the
   * whole. What belongs to other shards is not made, unless that would leave out calls of a
   * function that is not {@link #pure}. Put it early, before {@link #map} and {@link #shuffle}.
   */
  public Dataset<T> shard(long count, long index) {
    return with(new ShardOp(op, count, index, here()));
  }

  /**
   * The share of one of {@code world} ranks, of the same size on every rank: of each group of
   * {@code world} elements the one numbered {@code rank}. Where the last group is not whole, {@link
   * ShardMode} says whether it is left out, or made whole with elements that come twice. The number
   * of elements need not be known. Each rank makes every element before it and counts only those
   * that did not fail, so put it early, and {@link #batch} after it: then all ranks have as many
   * batches. All ranks must read the same elements in the same order.
   */
  public Dataset<T> shardByRank(int rank, int world, ShardMode mode) {
    return with(new ShardByRankOp(op, rank, world, mode, here()));
  }

  /**
   * Gives the elements in random order, all orders being possible, without a buffer. The dataset
   * must give elements by index (see {@link #at}); put it right after the source, because a {@code
   * map} before it is run by one thread. tf.data's order for this seed, another one in each pass.
   */
  public Dataset<T> globalShuffle(Seed seed) {
    return globalShuffle(seed, true);
  }

  /**
   * As {@link #globalShuffle(Seed)}; {@code reshuffle} says whether each pass has its own order.
   */
  public Dataset<T> globalShuffle(Seed seed, boolean reshuffle) {
    return with(new GlobalShuffleOp(op, seed, reshuffle, here()));
  }

  /**
   * Says how many elements there are, or {@link #INFINITE}. Where that turns out wrong the pipeline
   * ends with an error: at the first element too many, or at the end.
   */
  public Dataset<T> assertCardinality(long count) {
    return with(new AssertCardinalityOp(op, count, here()));
  }

  /**
   * Adds padding so that there are {@code count} elements, each with a mask that says whether it is
   * real; {@link #batch} then gives full batches with a mask. The padding is the last element with
   * zeros in its tensors, so elements must be structures.
   */
  public Dataset<Padded<T>> padToCardinality(long count) {
    return with(new PadToCardinalityOp(op, count, null, here()));
  }

  /** As {@link #padToCardinality(long)}, for elements of any type. */
  public Dataset<Padded<T>> padToCardinality(long count, T padding) {
    Objects.requireNonNull(padding, "padToCardinality: expected an element, but got null");
    return with(new PadToCardinalityOp(op, count, () -> padding, here()));
  }

  /** Applies a function to this dataset, for chains of one's own that are used again. */
  public <R> Dataset<R> apply(Function<? super Dataset<T>, Dataset<R>> function) {
    return function.apply(this);
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

  /**
   * Keeps the elements of the first whole pass in a file for later ones, also those of other
   * pipelines and processes. The file is used as long as the plan before it, its functions and the
   * files it reads are the same, and is made again otherwise; a warning says why. A file that is
   * not finished is never used. While one pipeline writes it, others run without it.
   *
   * <p>Functions and values are known by their content. Where one has none that is the same in
   * every process, a warning names it, no file of an earlier run is used, and the file is removed
   * when the pipeline is closed; {@link #named(String, int)} helps.
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

  /**
   * Gives the last operator a name, and says that its functions, and the data it holds, are known
   * by this name and version: {@code map(model::encode).named("encode", 3)}. Files that {@link
   * #cache(Path)} and {@link #snapshot} keep are then used again as long as name and version stay
   * the same, whatever the functions captured and however their code changed; raise the version
   * when they give other elements.
   *
   * <p>Without it they are known by their content. That is safer, but not everything has one: a
   * random number generator, a connection, a model in native memory.
   */
  public Dataset<T> named(String name, int version) {
    Objects.requireNonNull(name, "named: expected a name, but got null");
    return with(OpShape.of(op.getClass()).withSite(op, op.site().named(name, version)));
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

  /**
   * The plan, last operator first, with the lines of the program that made it; then the plan that
   * will be run instead, and why it gives the same sooner.
   */
  public String explain() {
    return Explanation.of(PlanShape.of(op), Optimizer.optimise(op, options.goals()));
  }

  /**
   * A hash of everything that shapes elements and their order, by content: the same in every
   * process, and another one for another plan. Where a function or value cannot be read, what can
   * be read counts; {@link #named(String, int)} tells such a one apart.
   */
  public String fingerprint() {
    return PlanIdentity.of(op, options.isDeterministic(), Map.of()).fingerprint();
  }

  @Override
  public String toString() {
    return explain();
  }

  /**
   * This dataset with a change made that {@link Pipeline#diagnose()} advised for it.
   *
   * @throws IllegalArgumentException if the change is not one that can be made here
   */
  public Dataset<T> with(Advice advice) {
    return with(Remedy.apply(op, advice));
  }

  // ---- running it -------------------------------------------------------------------------------

  /**
   * What the plan alone gives away about mistakes, the most serious first, without running it: a
   * cache that freezes random numbers, a shuffle of whole batches, work that the consumer does
   * itself. Files are listed where a rule is about their number. Only patterns that are known to do
   * harm are reported; see {@code docs/reference/linter.md}.
   */
  public List<Finding> lint() {
    return Linter.lint(op, options.lintSettings());
  }

  /** Opens the pipeline at the start of epoch 0. */
  public Pipeline<T> open() {
    return new Pipeline<>(op, options, null, here());
  }

  /** Opens the pipeline where another one was when the checkpoint was taken. */
  public Pipeline<T> open(Checkpoint checkpoint) {
    return new Pipeline<>(op, options, checkpoint, here());
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
      try (ElementWriter writer = new ElementWriter(lock, compression, new ElementCodec());
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

  /**
   * Runs one pass and writes its elements, which are byte arrays or scalar tensors of bytes, to a
   * TFRecord file. The file is there whole or not at all.
   *
   * @return how many records were written
   */
  public long writeTfRecords(Path file) throws IOException {
    return writeTfRecords(file, 1, Compression.NONE);
  }

  /**
   * As {@link #writeTfRecords(Path)}, dealt out to several files: {@code train-00000-of-00008} and
   * so on for {@code train}. With one, the name is left as it is.
   */
  public long writeTfRecords(Path name, int shards, Compression compression) throws IOException {
    if (cardinality() == INFINITE) {
      throw new IllegalArgumentException(
          "writeTfRecords: expected a dataset that ends, but got one that does not; use take(n)");
    }
    try (ShardedWriter writer = new ShardedWriter(name, shards, compression);
        Pipeline<T> pipeline = open()) {
      for (T element : pipeline) {
        writer.write(element);
      }
      return writer.finish();
    }
  }

  /** The first {@code count} elements as text, one on a line. */
  public String show(int count) {
    StringBuilder text = new StringBuilder();
    take(count).forEach(element -> text.append(element).append(System.lineSeparator()));
    return text.toString();
  }

  /** The only element. Fails where there is none, or another one. */
  public T singleElement() {
    List<T> elements = take(2).toList();
    if (elements.size() != 1) {
      throw new IllegalStateException(
          "singleElement: expected exactly one element, but the dataset %s; use first() or take(1)"
              .formatted(elements.isEmpty() ? "is empty" : "has more"));
    }
    return elements.getFirst();
  }

  /**
   * The element at {@code index}, from 0, made without reading those before it: for sources that
   * can, and operators that give one element for one, {@code take}, {@code skip}, {@code shard},
   * {@code batch}, {@code concatenate} and {@code zip}. Places are counted, so an element that
   * fails has one; asking for it throws.
   *
   * @throws UnsupportedOperationException naming the operator that can be read only in order
   */
  public T at(long index) {
    try (Access access = op.access()) {
      long size = access.size();
      if (index < 0 || index >= size) {
        throw new IndexOutOfBoundsException(
            "at: expected an index from 0 to below %d, but got %d".formatted(size, index));
      }
      Object element;
      try {
        element = access.at(index);
      } catch (Exception e) {
        throw new PipelineException(op.word(), Long.toString(index), 0, e, false);
      }
      @SuppressWarnings("unchecked") // the type parameter promises it
      T typed = (T) element;
      return typed;
    }
  }

  /**
   * Parts of what this source of files reads, about {@code wanted} of them and at least one for
   * each file, to be read in other processes by {@link #ofSplit}. Together they have each record
   * once. TFRecord files are taken apart at records if they have an index, records of fixed length
   * always, other files are parts as a whole.
   */
  public List<InputSplit> splits(int wanted) throws IOException {
    if (wanted < 1) {
      throw new IllegalArgumentException("splits: expected at least 1, but got " + wanted);
    }
    return op.splits(wanted);
  }

  /** This source of files, of which only a part is read. */
  public Dataset<T> ofSplit(InputSplit split) throws IOException {
    Op part = op.ofSplit(split);
    return with(
        split.records() < 0 && split.firstRecord() == 0
            ? part
            : new SplitOp(
                part,
                split.firstRecord(),
                split.records() < 0 ? Long.MAX_VALUE - split.firstRecord() : split.records(),
                here()));
  }

  // ---- inside -----------------------------------------------------------------------------------

  /** How operators make datasets of windows, which they do not know. */
  private enum AsDataset implements Fn<Op, Object>, FunctionIdentity.Named {
    FUNCTION;

    @Override
    public Object apply(Op window) {
      return of(window);
    }

    @Override
    public String functionName() {
      return "dataset";
    }
  }

  private <R> Dataset<R> with(Op next) {
    return new Dataset<>(next, options);
  }

  private static int calls(String word, int parallelism) {
    if (parallelism == Parallelism.SEQUENTIAL || parallelism < AUTOTUNE) {
      throw new IllegalArgumentException(
          word
              + ": expected a parallelism of at least 1 or AUTOTUNE, but got "
              + parallelism
              + "; leave it out to call the function from one thread at a time");
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
