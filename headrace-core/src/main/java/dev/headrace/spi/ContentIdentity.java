package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a value is, by its content: a hash that is the same in every process for the same content,
 * and another one for other content.
 *
 * <p>The content of a value is all of it, deeply, with its types:
 *
 * <ul>
 *   <li>numbers, texts, enums, classes, arrays, tensors, paths, times and the like by value;
 *   <li>lists and maps that keep an order in that order, other sets and maps in whatever order;
 *   <li>lambdas and method references by the method they are and what they captured;
 *   <li>records and other objects by all fields, static ones apart;
 *   <li>code by the bytes of the class file that has it, of its superclasses and interfaces and of
 *       the classes that are nested in the same one.
 * </ul>
 *
 * <p>A type of the Java platform whose content cannot be read (a generator of random numbers, a
 * lock, a thread) has none, nor has whatever holds one; nor has what is larger than the bounds of
 * {@link ContentDigest}. No {@code toString} or {@code hashCode} of the user is asked. What code
 * reads elsewhere, such as static fields and other classes, is not seen.
 *
 * @param hash of what could be read, 64 hexadecimal digits
 * @param missing what could not be read, where and why; null if everything was
 * @param isFixed whether the content cannot change later: nothing in it is mutable
 */
public record ContentIdentity(String hash, @Nullable String missing, boolean isFixed) {

  /** The identity of a value. */
  public static ContentIdentity of(@Nullable Object value) {
    return ContentDigest.of("", value, ContentDigest.Bounds.ofCaptured());
  }

  /** The identity of elements that are part of a plan, which may be many. */
  public static ContentIdentity ofElements(Object elements) {
    return ContentDigest.of("", elements, ContentDigest.Bounds.ofElements());
  }

  /** Whether everything could be read, so that the hash stands for the value. */
  public boolean isWhole() {
    return missing == null;
  }

  /** The beginning of the hash, for people. */
  public String shortHash() {
    return hash.substring(0, 16);
  }
}
