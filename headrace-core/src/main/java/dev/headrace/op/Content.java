package dev.headrace.op;

import dev.headrace.data.ElementCodec;
import dev.headrace.spi.FunctionIdentity;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Elements that are part of a plan. The plan's identity has a checksum of them, not the elements: a
 * checkpoint notes when they changed, and {@code explain()} stays readable.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Content implements FunctionIdentity.Named {
  private final String what;
  private final List<Object> elements;
  private volatile @Nullable String name;

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

  /** As {@code 3 elements #1f2e3d4c}: the checksum tells other content apart. */
  @Override
  public String functionName() {
    String known = name;
    if (known == null) {
      known = what + " #%08x".formatted(checksum());
      name = known;
    }
    return known;
  }

  private long checksum() {
    CRC32C checksum = new CRC32C();
    OutputStream counted = new CheckedOutputStream(OutputStream.nullOutputStream(), checksum);
    ElementCodec codec = new ElementCodec();
    try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(counted))) {
      for (Object element : elements) {
        try {
          codec.encode(element, out);
        } catch (RuntimeException e) {
          out.writeUTF(element.getClass().getName()); // a type whose content is not known
        }
      }
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
    return checksum.getValue();
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
