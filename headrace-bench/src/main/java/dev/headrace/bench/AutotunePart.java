package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Plan;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One operator of an {@link AutotunePipeline}. */
sealed interface AutotunePart {

  /** Adds it to a dataset; {@code knob} is its number where it has one. */
  Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob);

  /** What its number is called, and the values that are tried; none where it has no number. */
  default String knob() {
    return "";
  }

  default List<Integer> levels() {
    return List.of();
  }

  /** The same for tf.data, as {@code peers/tfdata/autotune.py} reads it. */
  Map<String, @Nullable Object> toJson();

  /** Whether tf.data can do this without calling Python. */
  default boolean isExpressible() {
    return true;
  }

  @SuppressWarnings("unchecked") // parts take any element
  private static Dataset<Object> any(Dataset<?> dataset) {
    return (Dataset<Object>) dataset;
  }

  /** The number of an element: its value, or that of the first in a batch. */
  private static long number(Object element) {
    return switch (element) {
      case Long value -> value;
      case Tensor tensor -> tensor.longAt(0);
      default -> throw new IllegalArgumentException("expected a number, but got " + element);
    };
  }

  private static List<Integer> list(Cost cost) {
    return IntStream.of(cost.micros()).boxed().toList();
  }

  private static Map<String, @Nullable Object> json(String op) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("op", op);
    return json;
  }

  /**
   * A map that waits and computes.
   *
   * @param levels of its parallelism; none for a function that is not called concurrently
   * @param waitsMore makes it wait longer, and {@code computesMore} compute longer
   */
  record Working(
      String name,
      Cost waiting,
      Cost computing,
      List<Integer> levels,
      Dial waitsMore,
      Dial computesMore)
      implements AutotunePart {

    Working(String name, Cost waiting, Cost computing, Integer... levels) {
      this(name, waiting, computing, List.of(levels), new Dial(), new Dial());
    }

    @Override
    public String knob() {
      return levels.isEmpty() ? "" : name;
    }

    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return levels.isEmpty()
          ? any(input).map(element -> worked(element, burn)).named(name)
          : any(input).map(element -> worked(element, burn), knob).named(name);
    }

    private Object worked(Object element, Burn burn) throws InterruptedException {
      long number = number(element);
      pass(waiting.of(number) * waitsMore.factor());
      return burned(element, computing.of(number) * computesMore.factor(), number, burn);
    }

    @Override
    public boolean isExpressible() {
      return waiting.isNothing();
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = json("map");
      json.put("micros", list(computing));
      json.put("parallel", !levels.isEmpty());
      return json;
    }
  }

  /** A map that makes tensors of so many bytes, and computes so long for each thousand of them. */
  record Sizing(String name, Cost kilobytes, double microsPerKilobyte, List<Integer> levels)
      implements AutotunePart {

    @Override
    public String knob() {
      return name;
    }

    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return any(input).map(element -> made(number(element), burn), knob).named(name);
    }

    private Object made(long number, Burn burn) {
      int size = kilobytes.of(number);
      byte[] bytes = new byte[1000 * size];
      return burned(
          Tensor.wrap(Shape.of(bytes.length), bytes), size * microsPerKilobyte, number, burn);
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = json("sized");
      json.put("kilobytes", list(kilobytes));
      json.put("microsPerKilobyte", microsPerKilobyte);
      return json;
    }
  }

  /** A map that computes and makes a tensor of so many floats. */
  record Filling(String name, int floats, Cost computing, List<Integer> levels)
      implements AutotunePart {

    @Override
    public String knob() {
      return name;
    }

    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return any(input).map(element -> made(number(element), burn), knob).named(name);
    }

    private Tensor made(long number, Burn burn) {
      Tensor made = Tensor.full(Shape.of(floats), (float) number);
      var unused = burned(made, computing.of(number), number, burn);
      return made;
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = json("large");
      json.put("floats", floats);
      json.put("micros", list(computing));
      return json;
    }
  }

  /** A filter that computes and keeps one of so many. */
  record Keeping(int oneOf, int micros) implements AutotunePart {
    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return any(input)
          .filter(
              element -> {
                long number = number(element);
                return number(burned(element, micros, number, burn)) % oneOf == 0;
              })
          .named("keep");
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = json("filter");
      json.put("oneOf", oneOf);
      json.put("micros", micros);
      return json;
    }
  }

  /**
   * An interleave of files whose first element is long in coming.
   *
   * @param lengths how many elements they have
   */
  record Opening(int cycle, int firstWaitMicros, Cost lengths, int micros, List<Integer> levels)
      implements AutotunePart {

    @Override
    public String knob() {
      return "files";
    }

    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return any(input)
          .interleave(file -> opened(number(file), burn), cycle, 1, knob)
          .named("files");
    }

    private Plan<Object> opened(long file, Burn burn) {
      return Dataset.range(lengths.of(file))
          .map(
              element -> {
                if (element == 0) {
                  pass(firstWaitMicros);
                }
                return burned(element, micros, file, burn);
              });
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = json("files");
      json.put("cycle", cycle);
      json.put("firstWaitMicros", firstWaitMicros);
      json.put("lengths", list(lengths));
      json.put("micros", micros);
      return json;
    }
  }

  /** A batch of what there is. */
  record Batching(int size, Of of) implements AutotunePart {
    /** What it is a batch of. */
    enum Of {
      NUMBERS,
      TENSORS,
      SIZES_THAT_DIFFER
    }

    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return switch (of) {
        case NUMBERS -> any(input).batch(size, Collator.stack());
        case TENSORS -> input.batch(size);
        case SIZES_THAT_DIFFER -> any(input).batch(size, Collator.toList());
      };
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      Map<String, @Nullable Object> json = json("batch");
      json.put("size", size);
      json.put("ragged", of == Of.SIZES_THAT_DIFFER);
      return json;
    }
  }

  /** A prefetch; the levels are those of its buffer. */
  record ReadingAhead(List<Integer> levels) implements AutotunePart {
    ReadingAhead(Integer... levels) {
      this(List.of(levels));
    }

    @Override
    public String knob() {
      return "buffer";
    }

    @Override
    public Dataset<?> appendTo(Dataset<?> input, Burn burn, int knob) {
      return input.prefetch(knob);
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
      return json("prefetch");
    }
  }

  /** Waits as a disk or a network makes one wait. */
  static void pass(double micros) throws InterruptedException {
    if (micros > 0) {
      Thread.sleep(Duration.ofNanos((long) (micros * 1e3)));
    }
  }

  /** Computes, and returns the element. */
  private static Object burned(Object element, double micros, long number, Burn burn) {
    if (micros > 0 && burn.micros((int) Math.round(micros), number) == 0) {
      throw new AssertionError("never 0; read so that the steps are made");
    }
    return element;
  }
}
