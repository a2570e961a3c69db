package dev.headrace.torch;

import dev.headrace.data.DType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The element types of both sides, which lie in memory in the same way. */
final class TorchTypes {
  private static final Map<DType, ScalarType> SCALAR_TYPES = new EnumMap<>(DType.class);
  private static final Map<DType, TensorOptions> OPTIONS = new EnumMap<>(DType.class);

  static {
    SCALAR_TYPES.put(DType.BOOL, ScalarType.Bool);
    SCALAR_TYPES.put(DType.INT8, ScalarType.Char);
    SCALAR_TYPES.put(DType.INT16, ScalarType.Short);
    SCALAR_TYPES.put(DType.INT32, ScalarType.Int);
    SCALAR_TYPES.put(DType.INT64, ScalarType.Long);
    SCALAR_TYPES.put(DType.UINT8, ScalarType.Byte);
    SCALAR_TYPES.put(DType.UINT16, ScalarType.UInt16);
    SCALAR_TYPES.put(DType.UINT32, ScalarType.UInt32);
    SCALAR_TYPES.put(DType.UINT64, ScalarType.UInt64);
    SCALAR_TYPES.put(DType.FLOAT16, ScalarType.Half);
    SCALAR_TYPES.put(DType.BFLOAT16, ScalarType.BFloat16);
    SCALAR_TYPES.put(DType.FLOAT32, ScalarType.Float);
    SCALAR_TYPES.put(DType.FLOAT64, ScalarType.Double);
    SCALAR_TYPES.forEach((dtype, type) -> OPTIONS.put(dtype, new TensorOptions(type)));
  }

  private TorchTypes() {}

  static TensorOptions options(DType dtype) {
    TensorOptions options = OPTIONS.get(dtype);
    if (options == null) {
      throw new IllegalArgumentException(
          "toTorch: expected numbers or booleans, but got %s; map strings to numbers first"
              .formatted(dtype.tfName()));
    }
    return options;
  }

  static ScalarType scalarType(DType dtype) {
    options(dtype);
    return Objects.requireNonNull(SCALAR_TYPES.get(dtype));
  }

  static DType dtype(ScalarType type) {
    for (Map.Entry<DType, ScalarType> entry : SCALAR_TYPES.entrySet()) {
      if (entry.getValue() == type.intern()) { // what native code returns is another object
        return entry.getKey();
      }
    }
    throw new IllegalArgumentException(
        "toHeadrace: expected real numbers or booleans, but got %s; convert them first, with to()"
            .formatted(type));
  }
}
