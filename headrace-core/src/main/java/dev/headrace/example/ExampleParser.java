package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parses serialised examples: one, or a vector of them at once.
 *
 * <p><b>Threading:</b> safe; each thread has its own buffers, and remembers in which order keys
 * came.
 */
final class ExampleParser {
  private final List<Feature> features;
  private final Set<String> loose;
  private final ThreadLocal<State> states = ThreadLocal.withInitial(this::newState);

  /** What one thread parses with. */
  private record State(ExampleReader reader, List<Output> outputs) {}

  /**
   * @param loose the features {@code petalLength} for which a key {@code petal_length} stands where
   *     there is none of their own
   */
  ExampleParser(List<Feature> features, Set<String> loose) {
    this.features = List.copyOf(features);
    this.loose = Set.copyOf(loose);
    check(features);
    checkLoose();
    State _ = newState(); // so that what does not fit fails here
  }

  static void check(List<Feature> features) {
    if (features.isEmpty()) {
      throw new IllegalArgumentException(
          "Example.parser: expected at least one feature, but got none");
    }
    Set<String> names = new HashSet<>();
    for (Feature feature : features) {
      if (!names.add(feature.name())) {
        throw new IllegalArgumentException(
            "Example.parser: expected each name once, but got '%s' twice; give one another name by as(…)"
                .formatted(feature.name()));
      }
    }
  }

  private void checkLoose() {
    Map<String, String> names = new HashMap<>();
    for (String name : new TreeSet<>(loose)) {
      String other = names.put(plain(name), name);
      if (other != null) {
        throw new IllegalArgumentException(
            "Example.parser: expected components that differ in more than case and underscores, but got '%s' and '%s'; declare their features"
                .formatted(other, name));
      }
    }
  }

  private State newState() {
    List<Column> columns = new ArrayList<>();
    List<Output> outputs = new ArrayList<>();
    for (Feature feature : features) {
      outputs.add(Output.of(feature, columns));
    }
    return new State(new ExampleReader(columns, wanted(columns, loose)), outputs);
  }

  /** By key, the columns its values go to. */
  static java.util.function.Function<String, List<Column>> wanted(
      List<Column> columns, Set<String> loose) {
    Map<String, List<Column>> byKey = new HashMap<>();
    Map<String, List<Column>> loosely = new HashMap<>();
    for (Column column : columns) {
      byKey.computeIfAbsent(column.key, _ -> new ArrayList<>()).add(column);
      if (loose.contains(column.key)) {
        loosely.computeIfAbsent(plain(column.key), _ -> new ArrayList<>()).add(column);
      }
    }
    return key -> {
      List<Column> exact = byKey.get(key);
      return exact != null
          ? exact
          : loosely.isEmpty() ? List.of() : loosely.getOrDefault(plain(key), List.of());
    };
  }

  private static String plain(String name) {
    StringBuilder plain = new StringBuilder();
    name.toLowerCase(Locale.ROOT)
        .chars()
        .filter(Character::isLetterOrDigit)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }

  List<Feature> features() {
    return features;
  }

  /** The values of all features, in order. */
  Object[] parse(Tensor serialised) {
    boolean single = isSingle("example", serialised);
    int rows = (int) serialised.elements();
    State state = states.get();
    ExampleReader reader = state.reader;
    int row = 0;
    try {
      reader.begin(rows);
      for (; row < rows; row++) {
        MemorySegment record = serialised.segmentAt(row);
        reader.read(record, row);
      }
      Object[] built = new Object[state.outputs.size()];
      for (int i = 0; i < built.length; i++) {
        Output output = state.outputs.get(i);
        reader.at(output.feature().key());
        built[i] = output.build(rows, single);
      }
      reader.at("");
      return built;
    } catch (Wire.Malformed e) {
      throw reader.failure("example", e, row, single || row == rows);
    } finally {
      reader.release();
    }
  }

  /** Whether there is one record, and not a vector of them. */
  static boolean isSingle(String word, Tensor serialised) {
    if (serialised.dtype() != DType.STRING || serialised.shape().rank() > 1) {
      throw new IllegalArgumentException(
          "%s: expected a byte string or a vector of them, but got %s"
              .formatted(word, serialised.describe()));
    }
    return serialised.shape().rank() == 0;
  }
}
