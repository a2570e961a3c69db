package dev.headrace.spi;

import dev.headrace.data.LeafValues;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The elements of one batch taken apart.
 *
 * @param structure that all of them have
 * @param names of the leaves
 * @param rows by leaf, then by element
 */
public record Columns(Structure<Object> structure, List<String> names, Tensor[][] rows) {

  /**
   * Takes the elements of a chunk apart; values that are no tensors are seen as such.
   *
   * @param word the operator, for messages
   * @param otherwise what to do about elements that are no structures
   */
  public static Columns of(Chunk elements, String word, String otherwise) {
    Structure<Object> structure =
        Structure.of(LeafValues.asTensors(elements.item(0), word, otherwise));
    int count = elements.size();
    Tensor[][] rows = new Tensor[structure.leafCount()][count];
    List<String> names = new ArrayList<>();
    for (int leaf = 0; leaf < rows.length; leaf++) {
      names.add(structure.leafName(leaf));
    }
    for (int row = 0; row < count; row++) {
      Object element = elements.item(row);
      if (!structure.matches(element)) {
        element = LeafValues.asTensors(element, word, otherwise);
      }
      if (!structure.matches(element)) {
        throw new IllegalArgumentException(
            "%s: expected all elements to have the structure of the first, %s, but element %d"
                    .formatted(word, structure, row)
                + " of the batch is "
                + Structure.of(element));
      }
      Tensor[] leaves = structure.leaves(element);
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        rows[leaf][row] = leaves[leaf];
      }
    }
    return new Columns(structure, names, rows);
  }

  /** The structure of an element, or an error that says what to do. */
  public static Structure<Object> structureOf(Object element, String word, String otherwise) {
    return Structure.find(element)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s: expected a structure (Tensor, a record, Map or List of them), but got %s; %s"
                        .formatted(word, element.getClass().getName(), otherwise)));
  }

  /** The batch of all elements, each leaf stacked. */
  public Object stacked(BatchBudget budget) {
    return build(Stacking.stack(rows, names, budget));
  }

  /** The batch of these leaves. */
  Object build(Tensor[] leaves) {
    try {
      return structure.build(leaves);
    } catch (Throwable e) { // a record's constructor may refuse
      for (Tensor leaf : leaves) {
        Leases.giveBack(leaf, "its batch could not be built");
      }
      throw e;
    }
  }
}
