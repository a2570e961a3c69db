package dev.headrace.data;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The type of a tensor's elements, named as in TensorFlow. */
public enum DType {
  BOOL("bool", 1, Kind.BOOLEAN),
  INT8("int8", 1, Kind.SIGNED),
  INT16("int16", 2, Kind.SIGNED),
  INT32("int32", 4, Kind.SIGNED),
  INT64("int64", 8, Kind.SIGNED),
  UINT8("uint8", 1, Kind.UNSIGNED),
  UINT16("uint16", 2, Kind.UNSIGNED),
  UINT32("uint32", 4, Kind.UNSIGNED),
  UINT64("uint64", 8, Kind.UNSIGNED),
  FLOAT16("half", 2, Kind.FLOATING),
  BFLOAT16("bfloat16", 2, Kind.FLOATING),
  FLOAT32("float", 4, Kind.FLOATING),
  FLOAT64("double", 8, Kind.FLOATING),
  /** Byte strings of any length, one {@code byte[]} per element. */
  STRING("string", 0, Kind.BYTES);

  private enum Kind {
    BOOLEAN,
    SIGNED,
    UNSIGNED,
    FLOATING,
    BYTES
  }

  private final String tfName;
  private final int byteSize;
  private final Kind kind;

  DType(String tfName, int byteSize, Kind kind) {
    this.tfName = tfName;
    this.byteSize = byteSize;
    this.kind = kind;
  }

  /** The bytes of one element; 0 for {@link #STRING}, whose elements differ in length. */
  public int byteSize() {
    return byteSize;
  }

  /** Whether every element takes {@link #byteSize()} bytes: all types but {@link #STRING}. */
  public boolean isFixedSize() {
    return kind != Kind.BYTES;
  }

  /** Whether this is one of the four floating point types. */
  public boolean isFloating() {
    return kind == Kind.FLOATING;
  }

  /** Whether this is a signed or unsigned integer type; {@link #BOOL} is not. */
  public boolean isInteger() {
    return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
  }

  /** Whether this is an unsigned integer type. */
  public boolean isUnsigned() {
    return kind == Kind.UNSIGNED;
  }

  /** TensorFlow's name: {@code "int64"}, {@code "float"}, {@code "half"}, {@code "string"}… */
  public String tfName() {
    return tfName;
  }

  /** The type of that TensorFlow name; {@code "float32"}, {@code "float64"}, … are known too. */
  public static DType ofTfName(String name) {
    for (DType type : values()) {
      if (type.tfName.equals(name) || type.name().toLowerCase(Locale.ROOT).equals(name)) {
        return type;
      }
    }
    String known = Arrays.stream(values()).map(DType::tfName).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "DType.ofTfName: expected one of " + known + ", but got \"" + name + "\"");
  }
}
