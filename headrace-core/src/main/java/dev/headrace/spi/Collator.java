package dev.headrace.spi;

import dev.headrace.data.Padding;
import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.util.List;
import java.util.Map;

/** A function that turns the elements of one batch, in order, into the batch. */
@FunctionalInterface
public interface Collator<A, B> extends UserFunction {
  B collate(List<A> elements) throws Exception;

  /**
   * Stacks scalars (numbers, booleans, strings), primitive arrays or tensors into one tensor with a
   * leading dimension: {@code range(8).batch(3, stack())} gives {@code int64[3]}.
   */
  static <A> Collator<A, Tensor> stack() {
    return Stacking.instance();
  }

  /**
   * Stacks each component of records, maps or lists into one tensor with a leading dimension:
   * {@code csv(file, Row.class).batch(32, columns())} gives a tensor for each column by its name.
   * Components may be whatever {@link #stack} stacks.
   */
  @SuppressWarnings("unchecked") // it accepts every element, and makes tensors
  static <A> Collator<A, Map<String, Tensor>> columns() {
    return byLeaf((Collator<Tensor, Tensor>) (Collator<?, Tensor>) Stacking.<Tensor>instance());
  }

  /** Hands the batch over as an unmodifiable list. */
  static <A> Collator<A, List<A>> toList() {
    return List::copyOf;
  }

  /**
   * Stacks what {@link #stack} stacks where lengths differ: each dimension is filled with zeros up
   * to the longest of the batch. {@code paddedBatch} does it for structures.
   */
  static <A> Collator<A, Tensor> pad() {
    return pad(Padding.zeros());
  }

  /** Stacks what {@link #stack} stacks where lengths differ, filled up as {@code padding} says. */
  @SuppressWarnings("unchecked") // it accepts every element, and makes tensors
  static <A> Collator<A, Tensor> pad(Padding padding) {
    return (Collator<A, Tensor>) (Collator<?, ?>) PaddedStacking.ofTensors(padding);
  }

  /** Puts arrays or tensors whose first dimensions differ one behind the other. */
  static <A> Collator<A, Ragged> ragged() {
    return RaggedStacking.instance();
  }

  /**
   * Makes one sparse tensor of arrays or tensors.
   *
   * @param rowShape that each fits into; unknown dimensions are the longest of the batch
   */
  @SuppressWarnings("unchecked") // it accepts every element
  static <A> Collator<A, Sparse> sparse(Shape rowShape) {
    return (Collator<A, Sparse>) (Collator<?, Sparse>) new SparseStacking(rowShape);
  }

  /**
   * Collates each leaf of structures by itself: {@code batch(32, byLeaf(ragged()))} makes a map
   * from names to {@link Ragged} of records, maps or lists of tensors.
   */
  @SuppressWarnings("unchecked") // columns are tensors, and any element is tried
  static <A, R> Collator<A, Map<String, R>> byLeaf(Collator<? super Tensor, R> each) {
    return (Collator<A, Map<String, R>>)
        (Collator<?, ?>) new LeafCollation<>((Collator<Object, R>) (Collator<?, R>) each);
  }
}
