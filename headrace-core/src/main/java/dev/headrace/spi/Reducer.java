package dev.headrace.spi;

import java.util.Objects;

/**
 * How {@code groupByReducer} makes one value of each group.
 *
 * @param initial the state of a group before its first element, made from its key
 * @param reduce the state after an element
 * @param finish the group's value, made from its last state
 * @param <K> the keys
 * @param <S> the states
 * @param <T> the elements
 * @param <R> the values
 */
public record Reducer<K, S, T, R>(
    Fn<? super K, ? extends S> initial,
    BiFn<? super S, ? super T, ? extends S> reduce,
    Fn<? super S, ? extends R> finish) {

  public Reducer {
    Objects.requireNonNull(initial, "Reducer: expected an initial function, but got null");
    Objects.requireNonNull(reduce, "Reducer: expected a function to reduce, but got null");
    Objects.requireNonNull(finish, "Reducer: expected a function to finish, but got null");
  }
}
