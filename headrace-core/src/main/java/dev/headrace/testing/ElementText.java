package dev.headrace.testing;

import dev.headrace.data.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes an element out in full, so that two elements are alike exactly if their texts are. */
public final class ElementText {
  private ElementText() {}

  public static String of(Object element) {
    return switch (element) {
      case Tensor tensor -> ofTensor(tensor);
      case byte[] bytes -> Arrays.toString(bytes);
      case long[] numbers -> Arrays.toString(numbers);
      case int[] numbers -> Arrays.toString(numbers);
      case float[] numbers -> Arrays.toString(numbers);
      case double[] numbers -> Arrays.toString(numbers);
      case List<?> list -> list.stream().map(ElementText::of).toList().toString();
      case Map<?, ?> map -> {
        StringBuilder text = new StringBuilder("{");
        map.forEach((key, value) -> text.append(key).append('=').append(of(value)).append(' '));
        yield text.append('}').toString();
      }
      case Record record -> ofRecord(record);
      default -> element.toString();
    };
  }

  private static String ofTensor(Tensor tensor) {
    String values =
        switch (tensor.dtype()) {
          case STRING -> Arrays.toString(tensor.toStrings());
          case FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> Arrays.toString(tensor.toDoubleArray());
          case BOOL -> Arrays.toString(tensor.toBooleanArray());
          default -> Arrays.toString(tensor.toLongArray());
        };
    return tensor.dtype().tfName() + tensor.shape() + values;
  }

  private static String ofRecord(Record record) {
    StringBuilder text = new StringBuilder(record.getClass().getSimpleName()).append('(');
    for (var component : record.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        text.append(of(component.getAccessor().invoke(record))).append(' ');
      } catch (ReflectiveOperationException | RuntimeException e) {
        return record.toString();
      }
    }
    return text.append(')').toString();
  }
}
