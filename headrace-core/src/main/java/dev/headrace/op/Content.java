package dev.headrace.op;

import dev.headrace.spi.ContentIdentity;
import dev.headrace.spi.FunctionIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Elements that are part of a plan. The plan's identity has a hash of them, not the elements: a
 * checkpoint notes when they changed, and {@code explain()} stays readable.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Content implements FunctionIdentity.Named {
  private final String what;
  private final List<Object> elements;
  private volatile @Nullable ContentIdentity identity;

  private Content(String what, List<Object> elements) {
    this.what = what;
    this.elements = elements;
  }

  /** A single structure. */
  static Content of(String what, Object element) {
    return new Content(what, List.of(element));
  }

  /** Elements of any type; the list is copied. */
  static Content of(List<?> elements) {
    List<Object> present = new ArrayList<>(elements.size());
    for (Object element : elements) {
      if (element == null) {
        throw new NullPointerException(
            "fromList: expected elements, but number %d is null; leave it out"
                .formatted(present.size()));
      }
      present.add(element);
    }
    return new Content(
        present.size() == 1 ? "1 element" : present.size() + " elements", List.copyOf(present));
  }

  List<Object> elements() {
    return elements;
  }

  /** As {@code 3 elements #1f2e3d4c}: the number tells other content apart. */
  @Override
  public String functionName() {
    return what + " #" + identity().hash().substring(0, 8);
  }

  @Override
  public ContentIdentity identity() {
    ContentIdentity known = identity;
    if (known == null) {
      known = ContentIdentity.ofElements(elements);
      identity = known.isFixed() ? known : null; // others that have the arrays may change them
    }
    return known;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Content that && elements.equals(that.elements);
  }

  @Override
  public int hashCode() {
    return Objects.hash(elements);
  }

  @Override
  public String toString() {
    return what;
  }
}
