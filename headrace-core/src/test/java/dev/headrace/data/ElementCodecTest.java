package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.testing.ElementText;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ElementCodecTest {
  private record Inner(String name, int[] sizes) {}

  private record Outer(Tensor image, long label, Inner inner, List<Float> weights) {}

  private sealed interface Form permits Circle, Square {}

  private record Circle(double radius) implements Form {}

  private record Square(double side) implements Form {}

  private record Holder(Object part) {}

  private static final Outer OUTER =
      new Outer(
          Tensor.of(Shape.of(2, 2), new float[] {1, 2, 3, 4}),
          7,
          new Inner("käfer", new int[] {1, -2}),
          List.of(1.5f, -0f));

  private static Object again(Object element) {
    ElementCodec codec = new ElementCodec();
    return codec.decode(codec.encode(element));
  }

  @Test
  void givesBackWhatWasWritten() {
    List<Object> elements =
        List.of(
            5L,
            -3,
            2.5,
            1.25f,
            true,
            "text \u00fc \ud83d\ude00",
            new byte[] {1, 2, -1},
            new long[] {Long.MIN_VALUE, 3},
            new int[] {},
            new float[] {1.5f},
            new double[] {-0.0, Double.NaN},
            Path.of("a", "b"),
            Tensor.scalar(3L),
            Tensor.full(Shape.of(0, 5), 1f),
            Tensor.scalar("string tensor"),
            List.of(),
            List.of(1L, List.of("deep")),
            Map.of("b", 2, "a", Tensor.scalar(1f)),
            OUTER);
    for (Object element : elements) {
      Object read = again(element);
      assertThat(
              read.getClass().isArray()
                  || read.getClass() == element.getClass()
                  || element instanceof List
                  || element instanceof Map
                  || element instanceof Path
                  || element instanceof Tensor)
          .isTrue();
      if (!(element instanceof Map)) {
        assertThat(ElementText.of(read)).isEqualTo(ElementText.of(element));
      }
    }
    assertThat(ElementText.of(again(Map.of("b", 2, "a", 1)))).isEqualTo("{a=1 b=2 }");
  }

  @Test
  void everyTypeOfTensorComesBack() {
    for (DType dtype : DType.values()) {
      Tensor tensor =
          dtype == DType.STRING
              ? Tensor.scalar("x")
              : dtype == DType.BOOL
                  ? Tensor.full(Shape.of(3), 1L).convert(DType.BOOL)
                  : Tensor.full(Shape.of(3), 1f).convert(dtype);
      assertThat(ElementText.of(again(tensor))).isEqualTo(ElementText.of(tensor));
    }
  }

  @Test
  void equalMapsHaveEqualBytes() {
    Map<String, Object> one = new HashMap<>();
    Map<String, Object> other = new HashMap<>(1024);
    for (int i = 0; i < 50; i++) {
      one.put("key" + i, i);
      other.put("key" + (49 - i), 49 - i);
    }
    assertThat(new ElementCodec().encode(one)).isEqualTo(new ElementCodec().encode(other));
    Map<String, Object> ordered = new LinkedHashMap<>();
    ordered.put("z", 1);
    ordered.put("a", 2);
    assertThat(ElementText.of(again(ordered))).isEqualTo("{z=1 a=2 }");
  }

  @Test
  void recordsAreReadOnlyIfTheirClassIsKnown() {
    byte[] bytes = new ElementCodec().encode(OUTER);
    assertThatThrownBy(() -> new ElementCodec().decode(bytes))
        .hasMessageContaining("decode: expected one of the records [], but got")
        .hasMessageContaining("Outer; name its class where the data is read");
    Object byClass = new ElementCodec().learnClass(Outer.class).decode(bytes);
    assertThat(ElementText.of(byClass)).isEqualTo(ElementText.of(OUTER));
    Object bySample = new ElementCodec().learn(List.of(Map.of("x", OUTER))).decode(bytes);
    assertThat(ElementText.of(bySample)).isEqualTo(ElementText.of(OUTER));
  }

  @Test
  void alternativesOfASealedInterfaceAreKnownTogether() {
    byte[] square = new ElementCodec().encode(new Square(2));
    assertThat(new ElementCodec().learn(new Circle(1)).decode(square)).isEqualTo(new Square(2));
    assertThat(new ElementCodec().learnClass(Form.class).decode(square)).isEqualTo(new Square(2));
    assertThat(new ElementCodec().learn(new Circle(1)).recordNames())
        .containsExactlyInAnyOrder(Circle.class.getName(), Square.class.getName());
  }

  @Test
  void saysWhatCannotBeWritten() {
    ElementCodec codec = new ElementCodec();
    assertThatThrownBy(() -> codec.encode(new Object()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "encode: expected a structure, a number, a text or bytes, or records, maps by text and"
                + " lists of them, but got java.lang.Object");
    assertThatThrownBy(() -> codec.encode(Map.of(1, 2))).hasMessageEndingWith("java.lang.Integer");
    assertThatThrownBy(() -> codec.encode(new Holder(null))).hasMessageEndingWith("but got null");
    Map<String, Object> withNull = new HashMap<>();
    withNull.put("a", null);
    assertThatThrownBy(() -> codec.encode(withNull)).hasMessageEndingWith("but got null");
  }

  @Test
  void hostileLengthsAreRefused() {
    assertRefused(bytes(6, -1), "a part of it has the length -1");
    assertRefused(bytes(7, Integer.MAX_VALUE), "a part of it has the length 2147483647");
    assertRefused(bytes(9, 1 << 30), "a part of it has the length 1073741824");
    assertRefused(bytes(13, 5), "a part of it has the length 5");
    assertRefused(new byte[] {}, "it ends too early");
    assertRefused(new byte[] {1, 0, 0}, "it ends too early");
    assertRefused(new byte[] {99}, "it has a part of unknown kind 99");
    assertRefused(new byte[] {5, 1, 0, 0}, "2 bytes are left over");
  }

  @Test
  void hostileTensorsAreRefused() {
    long most = 100_000;
    assertRefused(tensor(1 << 20, most, most, most, most), "a tensor has the shape");
    assertRefused(tensor(64, Long.MAX_VALUE, Long.MAX_VALUE), "a tensor has the shape");
    assertRefused(tensor(64, 0x1_0000_0001L, 0x1_0000_0000L), "a tensor has the shape");
    assertRefused(tensor(64, -1), "a tensor has the dimension -1");
    assertRefused(tensor(64, 60), "a tensor has 240 bytes");
  }

  @Test
  void deepNestingIsRefused() {
    Object deep = "x";
    for (int i = 0; i < 400; i++) {
      deep = Collections.singletonList(deep);
    }
    assertThat(again(deep)).isEqualTo(deep);
    ByteBuffer deeper = ByteBuffer.allocate(5 * 100_000 + 1);
    for (int i = 0; i < 100_000; i++) {
      deeper.put((byte) 9).putInt(1);
    }
    assertRefused(deeper.array(), "it is nested more than 500 deep");
  }

  @Test
  void recordsOfOtherPartsAreRefused() {
    ElementCodec codec = new ElementCodec();
    byte[] circle = codec.encode(new Circle(1));
    int tag = circle.length - 9;
    assertThat(circle[tag]).isEqualTo((byte) 3);
    ByteBuffer.wrap(circle).put(tag, (byte) 7).putInt(tag + 1, 4); // bytes in place of a double
    assertThatThrownBy(() -> codec.decode(circle))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a part of another type");
  }

  /** Whatever is read: an element, or an IllegalArgumentException; never anything else. */
  @Test
  void noiseNeverBreaksAnything() {
    SplittableRandom random = new SplittableRandom(5);
    ElementCodec codec = new ElementCodec();
    byte[] good = codec.encode(List.of(OUTER, Map.of("a", 1L), new Circle(3), Tensor.scalar("t")));
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = good.clone();
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      decodeOrRefuse(codec, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
      decodeOrRefuse(codec, bytes);
    }
  }

  private enum Suit {
    HEARTS,
    SPADES {
      @Override
      public String toString() {
        return "a spade";
      }
    }
  }

  private record Held(@Nullable Object value) {}

  private static Stream<Object> anExactCodecGivesBack() {
    Map<Object, Object> inSequence = new LinkedHashMap<>();
    inSequence.put("z", 1L);
    inSequence.put(2, List.of());
    inSequence.put(null, null);
    return Stream.of(
        1L,
        (byte) 3,
        (short) -4,
        'x',
        Suit.SPADES,
        new Held(null),
        new Held(Suit.HEARTS),
        new boolean[] {true, false},
        new float[] {Float.intBitsToFloat(0x7fc12345), 1},
        new ArrayList<>(List.of(1, "a")),
        List.of(),
        List.of(1, 2, 3),
        Collections.unmodifiableList(new ArrayList<>(List.of(1))),
        inSequence,
        new HashMap<>(Map.of("a", 1)),
        new TreeMap<>(Map.of("b", 1, "a", 2)),
        Map.of("d", 1, "a", 2, "c", 3, "b", 4),
        Collections.unmodifiableSequencedMap(new LinkedHashMap<>(Map.of("a", Tensor.scalar(1L)))),
        new Circle(4));
  }

  @ParameterizedTest
  @MethodSource
  void anExactCodecGivesBack(Object element) {
    ElementCodec codec = ElementCodec.exact();
    Object back = codec.decode(codec.encode(element));
    assertThat(codec.encode(back)).isEqualTo(codec.encode(element));
    boolean isChangeable = element instanceof ArrayList || element instanceof HashMap;
    if (isChangeable || !(element instanceof Map || element instanceof List)) {
      assertThat(back).hasSameClassAs(element);
    }
    if (element instanceof Map<?, ?> map) {
      assertThat(List.copyOf(((Map<?, ?>) back).keySet().stream().map(String::valueOf).toList()))
          .isEqualTo(map.keySet().stream().map(String::valueOf).toList());
      assertThat(back instanceof SequencedMap).isEqualTo(element instanceof SequencedMap);
    }
  }

  private static Stream<Object> anExactCodecRefuses() {
    return Stream.of(
        new LinkedList<>(List.of(1)),
        Arrays.asList(1, 2),
        new TreeMap<>(Comparator.<Integer>reverseOrder()),
        new ConcurrentHashMap<>(Map.of("a", 1)),
        new Held(new Object()),
        new Held(new String[] {"a"}),
        BigInteger.ONE);
  }

  @ParameterizedTest
  @MethodSource
  void anExactCodecRefuses(Object element) {
    assertThatThrownBy(() -> ElementCodec.exact().encode(element))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("encode: expected ");
  }

  @Test
  void whatIsNestedTooDeepToBeReadIsNotWritten() {
    Object deep = 1;
    for (int i = 0; i < 500; i++) {
      deep = List.of(deep);
    }
    ElementCodec codec = new ElementCodec();
    assertThat(codec.decode(codec.encode(deep))).isEqualTo(deep);
    Object deeper = List.of(deep);
    assertThatThrownBy(() -> codec.encode(deeper))
        .hasMessage("encode: expected elements nested at most 500 deep, but got deeper ones");
  }

  private static void decodeOrRefuse(ElementCodec codec, byte[] bytes) {
    try {
      assertThat(codec.decode(bytes)).isNotNull();
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageNotContaining("null");
    }
  }

  private static byte[] bytes(int tag, int length) {
    return ByteBuffer.allocate(10).put((byte) tag).putInt(length).array();
  }

  private static byte[] tensor(int size, long... dims) {
    byte[] name = "float".getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(1 + 4 + name.length + 1 + 8 * dims.length + size);
    bytes.put((byte) 8).putInt(name.length).put(name).put((byte) dims.length);
    for (long dim : dims) {
      bytes.putLong(dim);
    }
    return bytes.array();
  }

  private static void assertRefused(byte[] bytes, String why) {
    assertThatThrownBy(() -> new ElementCodec().decode(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("decode: expected an element, but ")
        .hasMessageContaining(why);
  }

  @Test
  void anExactCodecGivesHashMapsBackInTheOrderTheyHad() {
    ElementCodec codec = ElementCodec.exact();
    for (int capacity : new int[] {1, 16, 100, 1000}) {
      java.util.HashMap<Object, Object> map = new java.util.HashMap<>(capacity);
      for (int key : new int[] {100, 4, 1, 77}) {
        map.put(key, "value");
      }
      Object back = codec.decode(java.nio.ByteBuffer.wrap(codec.encode(map)));
      assertThat(back).isEqualTo(map).hasToString(map.toString());
    }
  }

  @Test
  void anExactCodecRefusesTextsThatWouldComeBackAsOthers() {
    ElementCodec codec = ElementCodec.exact();
    assertThatThrownBy(() -> codec.encode(java.util.List.of("a" + (char) 0xD83D)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("half a surrogate pair");
    String whole = "a" + Character.toString(0x1F600);
    assertThat(codec.decode(java.nio.ByteBuffer.wrap(codec.encode(whole)))).isEqualTo(whole);
  }
}
