package dev.headrace.example;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Odd and broken examples are accepted, refused and read exactly as by {@link ReferenceParser}.
 * {@code -Dheadrace.fuzz=1000000} runs more.
 */
@Timeout(3600)
class ExampleFuzzTest {
  private static final int RUNS = Integer.getInteger("headrace.fuzz", 30_000);
  private static final long SEED = Long.getLong("headrace.fuzz.seed", 7);

  private static final Map<String, Integer> WANTED = new HashMap<>();

  static {
    OddExamples.KEYS.forEach(key -> WANTED.put(key, OddExamples.kindOf(key)));
    WANTED.remove("C26"); // one that nobody asks for
  }

  private static Feature feature(String key) {
    return switch (OddExamples.kindOf(key)) {
      case 1 -> Feature.bytes(key);
      case 2 -> Feature.float32(key);
      default -> Feature.int64(key);
    };
  }

  /** Everything as lists. */
  private static final ExampleParser ANY =
      new ExampleParser(
          OddExamples.KEYS.stream()
              .filter(WANTED::containsKey)
              .map(key -> feature(key).ragged())
              .toList(),
          Set.of());

  /** One value of each, or a default; and one of them once more in another form. */
  private static final ExampleParser FIXED = new ExampleParser(fixed(), Set.of());

  private static List<Feature> fixed() {
    List<Feature> features = new ArrayList<>();
    for (String key : OddExamples.KEYS) {
      if (WANTED.containsKey(key)) {
        Feature each = feature(key);
        features.add(
            switch (OddExamples.kindOf(key)) {
              case 1 -> each.orElse("none");
              case 2 -> each.orElse(-1.5);
              default -> each.orElse(-1);
            });
      }
    }
    features.add(Feature.int64("i").varLen().as("again"));
    return features;
  }

  @Test
  void readsOddExamplesAsTheReferenceDoes() {
    OddExamples examples = new OddExamples(SEED);
    int accepted = 0;
    for (int run = 0; run < RUNS; run++) {
      accepted += compare(examples.next()) ? 1 : 0;
    }
    assertThat(accepted).isGreaterThan(RUNS / 2);
  }

  @Test
  void readsBrokenExamplesAsTheReferenceDoes() {
    OddExamples examples = new OddExamples(SEED + 1);
    for (int run = 0; run < RUNS; run++) {
      boolean _ = compare(examples.broken(examples.next()));
    }
  }

  /** Compares both parsers over a record, and tells whether it was accepted. */
  private static boolean compare(byte[] bytes) {
    Map<String, ReferenceParser.Parsed> expected = null;
    try {
      expected = ReferenceParser.parse(bytes, WANTED);
    } catch (ReferenceParser.Rejected e) {
      // to be refused
    }
    compareAny(bytes, expected, Tensor.scalar(bytes));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 0, bytes.length);
      compareFixed(bytes, expected, memory);
    }
    return expected != null;
  }

  private static void compareAny(
      byte[] bytes, @Nullable Map<String, ReferenceParser.Parsed> expected, Tensor record) {
    List<String> texts = new ArrayList<>();
    boolean fits = expected != null;
    for (Feature feature : ANY.features()) {
      ReferenceParser.Parsed parsed = expected == null ? null : expected.get(feature.key());
      fits &= parsed == null || parsed.kind() == OddExamples.kindOf(feature.key());
      texts.add(parsed == null ? "[]" : parsed.values().toString());
    }
    Object[] ours = parse(ANY, record);
    String shown = Base64.getEncoder().encodeToString(bytes);
    assertThat(ours != null).as(shown).isEqualTo(fits);
    if (ours == null) {
      return;
    }
    List<String> actual = new ArrayList<>();
    for (Object value : ours) {
      actual.add(text((Tensor) value));
    }
    assertThat(actual).as(shown).isEqualTo(texts);
    Object[] twice = parse(ANY, Tensor.ofStrings(bytes, bytes));
    assertThat(twice).isNotNull();
    for (int i = 0; i < ours.length; i++) {
      Ragged rows = (Ragged) twice[i];
      assertThat(text(rows.row(1))).as(shown).isEqualTo(texts.get(i));
    }
  }

  private static void compareFixed(
      byte[] bytes, @Nullable Map<String, ReferenceParser.Parsed> expected, MemorySegment memory) {
    boolean fits = expected != null;
    List<String> texts = new ArrayList<>();
    for (Feature feature : FIXED.features()) {
      ReferenceParser.Parsed parsed = expected == null ? null : expected.get(feature.key());
      boolean isKind = parsed == null || parsed.kind() == OddExamples.kindOf(feature.key());
      boolean isFixed = feature.form() == Feature.Form.FIXED;
      fits &= isKind && (!isFixed || parsed == null || parsed.values().size() == 1);
      texts.add(
          parsed == null
              ? isFixed ? text(java.util.Objects.requireNonNull(feature.fallback())) : "[]"
              : parsed.values().toString());
    }
    Object[] ours = parse(FIXED, Tensor.wrapStrings(Shape.of(1), memory));
    String shown = Base64.getEncoder().encodeToString(bytes);
    assertThat(ours != null).as(shown).isEqualTo(fits);
    for (int i = 0; ours != null && i < ours.length; i++) {
      Tensor values = ours[i] instanceof Sparse sparse ? sparse.values() : (Tensor) ours[i];
      assertThat(text(values)).as(shown).isEqualTo(texts.get(i));
    }
  }

  private static Object @Nullable [] parse(ExampleParser parser, Tensor record) {
    try {
      return parser.parse(record);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("example");
      return null;
    }
  }

  private static String text(Tensor tensor) {
    List<Object> values = new ArrayList<>();
    for (long i = 0; i < tensor.elements(); i++) {
      values.add(
          switch (tensor.dtype()) {
            case STRING -> new String(tensor.bytesAt(i), ISO_8859_1);
            case FLOAT32 -> Float.floatToRawIntBits(tensor.toFloatArray()[(int) i]);
            default -> (Object) tensor.longAt(i);
          });
    }
    return values.toString();
  }
}
