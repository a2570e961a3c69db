package dev.headrace.profile.lint;

import dev.headrace.data.DType;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.op.BatchOp;
import dev.headrace.op.FixedLengthRecordsOp;
import dev.headrace.op.FromTensorSlicesOp;
import dev.headrace.op.FromTensorsOp;
import dev.headrace.spi.Access;
import dev.headrace.spi.Op;
import java.util.EnumSet;
import java.util.Set;

/** How many bytes an element has at least, where the plan alone says so. */
final class ElementSize {
  static final long UNKNOWN = -1;

  private static final Set<Effect> AS_THEY_ARE =
      EnumSet.complementOf(
          EnumSet.of(Effect.CHANGES, Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

  private ElementSize() {}

  static long of(Op op) {
    return switch (op) {
      case FixedLengthRecordsOp records -> records.recordBytes();
      case FromTensorsOp _, FromTensorSlicesOp _ -> ofFirst(op);
      case BatchOp batch -> ofBatch(batch);
      default -> {
        boolean passes = AS_THEY_ARE.containsAll(Effect.of(op));
        yield passes && op.inputs().size() == 1 ? of(op.inputs().getFirst()) : UNKNOWN;
      }
    };
  }

  /** The size of the first element of a source in memory, which is that of all. */
  private static long ofFirst(Op source) {
    if (source.cardinality() < 1) {
      return UNKNOWN;
    }
    try (Access all = source.access()) {
      Object element = all.at(0);
      long bytes = 0;
      for (Tensor leaf : Structure.of(element).leaves(element)) {
        if (leaf.dtype() == DType.STRING) {
          return UNKNOWN;
        }
        bytes += leaf.byteSize();
      }
      return bytes;
    } catch (Exception e) {
      return UNKNOWN; // said when it is read
    }
  }

  private static long ofBatch(BatchOp batch) {
    long each = of(batch.input());
    long elements = batch.input().cardinality();
    boolean isFull = elements < 0 || elements >= batch.size();
    return batch.collator() != null || each == UNKNOWN || !isFull ? UNKNOWN : each * batch.size();
  }
}
