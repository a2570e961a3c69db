package dev.headrace.djl;

import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Picks tensors of a structure by name. */
final class Columns {
  private Columns() {}

  /** The tensors of these names: components of a record, keys of a map, {@code a.b} in a nest. */
  static <T> Function<T, List<Tensor>> named(List<String> names) {
    List<String> wanted = List.copyOf(names);
    return element -> {
      Structure<T> structure = Structure.of(element);
      List<String> known =
          IntStream.range(0, structure.leafCount()).mapToObj(structure::leafName).toList();
      Tensor[] leaves = structure.leaves(element);
      List<Tensor> picked = new ArrayList<>();
      for (String name : wanted) {
        int leaf = known.indexOf(name);
        if (leaf < 0) {
          throw new IllegalArgumentException(
              "HeadraceDataset: expected one of %s, but got \"%s\"; name tensors of the batch"
                  .formatted(known, name));
        }
        picked.add(leaves[leaf]);
      }
      return picked;
    };
  }
}
