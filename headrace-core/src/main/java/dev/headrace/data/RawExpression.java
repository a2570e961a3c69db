package dev.headrace.data;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Byte strings one behind the other as numbers: copied, cut or filled up with zeros, and turned
 * where their byte order is not the machine's.
 *
 * @param rowBytes how many bytes each string gives
 */
record RawExpression(Tensor source, DType dtype, Shape shape, long rowBytes, ByteOrder order)
    implements Expression {

  @Override
  public List<Tensor> sources() {
    return List.of(source);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    for (long row = 0; row < source.elements(); row++) {
      MemorySegment string = source.segmentAt(row);
      long bytes = Math.min(rowBytes, string.byteSize());
      MemorySegment.copy(string, 0, destination, row * rowBytes, bytes);
      destination.asSlice(row * rowBytes + bytes, rowBytes - bytes).fill((byte) 0);
    }
    if (order != ByteOrder.nativeOrder()) {
      turn(destination);
    }
    if (dtype == DType.BOOL) {
      for (long i = 0; i < destination.byteSize(); i++) {
        destination.set(JAVA_BYTE, i, (byte) (destination.get(JAVA_BYTE, i) == 0 ? 0 : 1));
      }
    }
  }

  private void turn(MemorySegment memory) {
    int size = dtype.byteSize();
    for (long at = 0; at < memory.byteSize() && size > 1; at += size) {
      switch (size) {
        case 2 ->
            memory.set(
                JAVA_SHORT_UNALIGNED, at, Short.reverseBytes(memory.get(JAVA_SHORT_UNALIGNED, at)));
        case 4 ->
            memory.set(
                JAVA_INT_UNALIGNED, at, Integer.reverseBytes(memory.get(JAVA_INT_UNALIGNED, at)));
        default ->
            memory.set(
                JAVA_LONG_UNALIGNED, at, Long.reverseBytes(memory.get(JAVA_LONG_UNALIGNED, at)));
      }
    }
  }

  @Override
  public String describe() {
    return "decodeRaw(%s) ← %s".formatted(dtype.tfName(), source.describe());
  }
}
