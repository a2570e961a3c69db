package dev.headrace.bench;

import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A training step of known length: a computation on the consumer's stream that takes a batch and so
 * many nanoseconds.
 *
 * <p>Where the host itself is the consumer, it waits for the step's end; otherwise it goes on.
 */
final class DeviceStep implements AutoCloseable {
  private final long nanos;
  private final boolean isSimulated;
  private final DeviceStream stream;
  private final @Nullable DeviceStream own;
  private final MemorySegment result;

  private DeviceStep(
      long nanos, boolean isSimulated, DeviceStream stream, boolean isOwn, MemorySegment result) {
    this.nanos = nanos;
    this.isSimulated = isSimulated;
    this.stream = stream;
    this.own = isOwn ? stream : null;
    this.result = result;
  }

  /** A step whose result lies in memory of {@code arena}. */
  static DeviceStep taking(long nanos, DeviceSubject subject, Arena arena) {
    DeviceStream consumer = subject.device().consumer();
    return new DeviceStep(
        nanos,
        subject.isSimulated(),
        consumer == null ? subject.device().openStream("step") : consumer,
        consumer == null,
        subject.device().allocate(arena, Long.BYTES));
  }

  void on(Tensor batch) throws InterruptedException {
    stream.compute(
        isSimulated ? Tensor.deferred(new Busy(batch, nanos)) : CudaKernels.spin(batch, nanos),
        result);
    if (own != null) {
      DeviceSubject.await(own);
    }
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }

  /** The first bytes of a batch, after that time. */
  private record Busy(Tensor batch, long nanos) implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
    }

    @Override
    public Shape shape() {
      return Shape.scalar();
    }

    @Override
    public List<Tensor> sources() {
      return List.of(batch);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      long endNs = System.nanoTime() + nanos;
      batch.borrow(memory -> MemorySegment.copy(memory, 0, destination, 0, Long.BYTES));
      for (long leftNs = nanos; leftNs > 0; leftNs = endNs - System.nanoTime()) {
        LockSupport.parkNanos(leftNs);
      }
    }

    @Override
    public String describe() {
      return "busy(" + nanos + " ns) ← " + batch.describe();
    }
  }
}
