package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StructureTest {
  private record Labelled(Tensor image, Tensor label) {}

  private record Meta(Tensor weight, List<Tensor> boxes) {}

  private record Nested(Tensor image, Meta meta) {}

  private record Named(String name, Tensor tensor) {}

  private record Pair<A, B>(A first, B second) {}

  private record Concrete(TreeMap<String, Tensor> map) {}

  private record Checked(Tensor tensor) {
    private Checked {
      if (tensor.elements() != 1) {
        throw new IllegalArgumentException("one element, please");
      }
    }
  }

  private final Tensor a = Tensor.of(1, 2);
  private final Tensor b = Tensor.scalar(3L);
  private final Tensor c = Tensor.scalar("c");

  @Test
  void aTensorIsItsOwnLeaf() {
    Structure<Tensor> structure = Structure.of(a);
    assertThat(structure.leafCount()).isEqualTo(1);
    assertThat(structure.leaves(a)).containsExactly(a);
    assertThat(structure.build(new Tensor[] {b})).isSameAs(b);
    assertThat(structure.leafName(0)).isEmpty();
    assertThat(structure.matches(b)).isTrue();
    assertThat(structure.matches(1L)).isFalse();
  }

  @Test
  void aPrivateRecordIsTakenApartAndRebuilt() {
    Labelled value = new Labelled(a, b);
    Structure<Labelled> structure = Structure.of(value);
    assertThat(structure.leaves(value)).containsExactly(a, b);
    assertThat(structure.leaf(value, 1)).isSameAs(b);
    assertThat(structure.build(new Tensor[] {b, c})).isEqualTo(new Labelled(b, c));
    assertThat(structure.leafName(1)).isEqualTo("label");
    assertThat(structure).hasToString("Labelled(image: Tensor, label: Tensor)");
    assertThat(structure).isSameAs(Structure.of(new Labelled(c, c)));
  }

  @Test
  void aLocalRecordIsTakenApart() {
    record Local(Tensor only) {}
    assertThat(Structure.of(new Local(a)).leaves(new Local(b))).containsExactly(b);
  }

  @Test
  void nestsAreTakenApartInOrder() {
    Nested value = new Nested(a, new Meta(b, List.of(a, c)));
    Structure<Nested> structure = Structure.of(value);
    assertThat(structure.leaves(value)).containsExactly(a, b, a, c);
    assertThat(structure.build(structure.leaves(value))).isEqualTo(value);
    assertThat(structure.leafName(0)).isEqualTo("image");
    assertThat(structure.leafName(1)).isEqualTo("meta.weight");
    assertThat(structure.leafName(3)).isEqualTo("meta.boxes[1]");
    assertThat(structure).isEqualTo(Structure.of(value)).hasSameHashCodeAs(Structure.of(value));
    assertThat(structure.matches(new Nested(a, new Meta(b, List.of(a))))).isFalse();
    assertThat(structure.matches(new Nested(c, new Meta(c, List.of(c, c))))).isTrue();
  }

  @Test
  void genericRecordsGoByTheirValues() {
    Structure<Pair<Tensor, Labelled>> structure = Structure.of(new Pair<>(a, new Labelled(b, c)));
    assertThat(structure.leafName(2)).isEqualTo("second.label");
    assertThat(Structure.find(new Pair<>(a, 1L))).isEmpty();
    assertThat(Structure.find(new Pair<>(a, null))).isEmpty();
  }

  @Test
  void mapsKeepTheirOrder() {
    Map<String, Tensor> value = new LinkedHashMap<>();
    value.put("z", a);
    value.put("a", b);
    Structure<Map<String, Tensor>> structure = Structure.of(value);
    assertThat(structure.leaves(value)).containsExactly(a, b);
    assertThat(structure.leaves(Map.of("a", c, "z", b))).containsExactly(b, c);
    Map<String, Tensor> built = structure.build(new Tensor[] {b, c});
    assertThat(built).containsExactly(Map.entry("z", b), Map.entry("a", c));
    assertThatThrownBy(() -> built.put("z", a)).isInstanceOf(UnsupportedOperationException.class);
    assertThat(Structure.of(built)).isEqualTo(structure);
    assertThat(structure).hasToString("{z: Tensor, a: Tensor}");
  }

  @Test
  void mapsWithoutAnOrderAreSorted() {
    Structure<?> structure = Structure.of(Map.of("c", a, "a", b, "b", c));
    assertThat(structure).hasToString("{a: Tensor, b: Tensor, c: Tensor}");
  }

  @Test
  void listsAreRebuiltUnmodifiable() {
    Structure<List<Tensor>> structure = Structure.of(List.of(a, b));
    assertThat(structure.build(new Tensor[] {b, c})).isEqualTo(List.of(b, c));
    assertThat(structure.leafName(1)).isEqualTo("[1]");
    assertThat(structure).hasToString("(Tensor, Tensor)");
    assertThat(structure.matches(List.of(a))).isFalse();
  }

  @Test
  void otherThingsAreNoStructures() {
    assertThat(Structure.find(1L)).isEmpty();
    assertThat(Structure.find(new byte[1])).isEmpty();
    assertThat(Structure.find(new Named("x", a))).isEmpty();
    assertThat(Structure.find(new Concrete(new TreeMap<>(Map.of("a", a)))))
        .as("could not be rebuilt")
        .isEmpty();
    assertThat(Structure.find(List.of())).isEmpty();
    assertThat(Structure.find(List.of(1L))).isEmpty();
    assertThat(Structure.find(Map.of(1, a))).isEmpty();
    assertThatThrownBy(() -> Structure.of(1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Long")
        .hasMessageContaining("Collator");
  }

  @Test
  void elementsOfAnotherStructureAreRefused() {
    @SuppressWarnings("unchecked")
    Structure<Object> structure =
        (Structure<Object>) (Structure<?>) Structure.of(new Labelled(a, b));
    assertThatThrownBy(() -> structure.leaves(new Checked(b)))
        .hasMessageContaining("expected Labelled(image: Tensor, label: Tensor)")
        .hasMessageContaining("got Checked(tensor: Tensor)");
    assertThatThrownBy(() -> structure.leaves(5L)).hasMessageContaining("java.lang.Long");
    assertThatThrownBy(() -> structure.leaves(new Labelled(a, null)))
        .hasMessage("Labelled.label: expected a Tensor, but got null");
    assertThatThrownBy(() -> structure.build(new Tensor[] {a})).hasMessageContaining("2 leaves");
    assertThatThrownBy(() -> structure.leafName(2)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void aConstructorsOwnExceptionPasses() {
    Structure<Checked> structure = Structure.of(new Checked(b));
    assertThatThrownBy(() -> structure.build(new Tensor[] {a})).hasMessage("one element, please");
  }

  @Test
  void aClosedPackageIsReportedWithTheLineToAdd() {
    assertThat(RecordClass.closedMessage("com.example.Train$Labelled", "com.example", "my.app"))
        .contains("opens com.example to dev.headrace.core;")
        .contains("my.app")
        .contains("Structure.register(MethodHandles.lookup(), Train.Labelled.class)");
  }

  @Test
  void aLookupCanBeRegistered() {
    record Registered(Tensor tensor) {}
    Structure.register(MethodHandles.lookup(), Registered.class);
    assertThat(Structure.of(new Registered(a)).leaves(new Registered(b))).containsExactly(b);
    assertThatThrownBy(() -> Structure.register(MethodHandles.publicLookup(), Labelled.class))
        .hasMessageContaining("Labelled");
  }

  @Test
  void specsRead() {
    Spec spec = Spec.of(new Labelled(Tensor.zeros(DType.UINT8, Shape.of(224, 224, 3)), b));
    assertThat(spec).hasToString("Labelled(image: uint8[224, 224, 3], label: int64[])");
    assertThat(spec.prepend(Shape.UNKNOWN))
        .hasToString("Labelled(image: uint8[?, 224, 224, 3], label: int64[?])");
    assertThat(spec.prepend(2).dropFirst()).isEqualTo(spec);
    assertThat(Spec.of(a)).hasToString("int32[2]").isEqualTo(Spec.of(DType.INT32, Shape.of(2)));
  }

  @Test
  void specsNameTheFirstLeafThatDiffers() {
    Spec spec = Spec.of(new Labelled(a, b)).prepend(-1);
    assertThat(spec.mismatch(Spec.of(new Labelled(a, b)).prepend(7))).isEmpty();
    assertThat(spec.mismatch(Spec.of(new Labelled(a, c)).prepend(7)))
        .hasValue("label: expected int64[?], but got string[7]");
    assertThat(Spec.of(a).mismatch(Spec.of(b))).hasValue("expected int32[2], but got int64[]");
    assertThat(Spec.of(a).mismatch(Spec.of(new Checked(b))))
        .hasValue("expected int32[2], but got Checked(tensor: int64[])");
  }
}
