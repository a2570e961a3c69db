package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceMemoryException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Part E: what goes wrong on a device in the middle of a run reaches the consumer with its name,
 * and the pipeline can still be closed. Each in a process of its own, since after a fault a process
 * cannot use that device any more.
 */
public final class DeviceErrors {
  private static final String FAULT = "fault";
  private static final String MEMORY = "memory";
  private static final String DELIVERED = "delivered ";
  private static final String TOLD = "told ";
  private static final String CLOSED = "closed ";
  private static final String ENDED = "ended";

  /** After these many batches it goes wrong. */
  private static final int GOOD = 20;

  private static final String SIMULATED_FAULT = "a fault, as was to be simulated";

  private DeviceErrors() {}

  /**
   * Arguments: {@code fault} or {@code memory}, and {@code gpu} or {@code simulated}. Prints how
   * many batches came, what the consumer was told, and that the pipeline and the device were
   * closed.
   */
  public static void main(String[] arguments) throws IOException {
    List<Arena> taken = new ArrayList<>();
    try (DeviceSubject subject = DeviceSubject.open(arguments[1].equals("simulated"))) {
      consume(
          arguments[0].equals(FAULT)
              ? faulting(subject)
              : growing(subject.device(), takeAllButOne(subject.device(), taken)));
      taken.forEach(Arena::close);
    }
    System.out.println(ENDED);
  }

  /** A kernel that writes where nothing is. */
  private static Dataset<Tensor> faulting(DeviceSubject subject) {
    AtomicInteger calls = new AtomicInteger();
    return Dataset.range(10 * GOOD)
        .map(i -> Tensor.full(Shape.of(1024), (float) i))
        .prefetchToDevice(subject.device())
        .mapOnDevice(
            x ->
                calls.incrementAndGet() <= GOOD
                    ? x.scale(2)
                    : subject.isSimulated()
                        ? Tensor.deferred(new Faulty(x))
                        : CudaKernels.fault(x));
  }

  /** Batches that become larger than what is left of the device's memory. */
  private static Dataset<Tensor> growing(Device device, long leftBytes) {
    Shape small = Shape.of(1 << 16);
    Shape large = Shape.of(2 * leftBytes);
    return Dataset.range(10 * GOOD)
        .map(i -> Tensor.zeros(DType.UINT8, i < GOOD ? small : large))
        .prefetchToDevice(device);
  }

  /** Takes the device's memory piece by piece, as a large model does; returns what is left. */
  private static long takeAllButOne(Device device, List<Arena> taken) {
    long piece = Math.min(256L << 20, device.memoryBytes() / 16);
    while (true) {
      Arena arena = Arena.ofShared();
      try {
        MemorySegment _ = device.allocate(arena, piece);
        taken.add(arena);
      } catch (DeviceMemoryException e) {
        arena.close();
        taken.removeLast().close();
        return piece;
      }
    }
  }

  private static void consume(Dataset<Tensor> dataset) {
    Pipeline<Tensor> pipeline = dataset.open();
    int delivered = 0;
    try {
      for (Tensor batch : pipeline) {
        delivered += batch.shape().rank() == 0 ? 0 : 1;
      }
    } catch (RuntimeException e) {
      System.out.println(DELIVERED + delivered);
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        System.out.println(TOLD + cause.getClass().getSimpleName() + ": " + cause.getMessage());
      }
    }
    long startNs = System.nanoTime();
    pipeline.close();
    System.out.printf(
        Locale.ROOT, "%safter %.1f ms%n", CLOSED, (System.nanoTime() - startNs) / 1e6);
  }

  /** A computation that fails. */
  private record Faulty(Tensor source) implements Expression {
    @Override
    public DType dtype() {
      return source.dtype();
    }

    @Override
    public Shape shape() {
      return source.shape();
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      throw new IllegalStateException(SIMULATED_FAULT);
    }

    @Override
    public String describe() {
      return "fault ← " + source.describe();
    }
  }

  // ---- the parent -------------------------------------------------------------------------------

  static List<Row> measure(boolean simulated, Setup setup, List<String> notes)
      throws IOException, InterruptedException {
    return List.of(
        tried(
            "E. a kernel faults",
            FAULT,
            simulated ? SIMULATED_FAULT : CudaKernels.FAULT_NAME,
            simulated,
            setup,
            notes),
        tried(
            "E. the device's memory is full",
            MEMORY,
            "expected room for",
            simulated,
            setup,
            notes));
  }

  private static Row tried(
      String name, String what, String expected, boolean simulated, Setup setup, List<String> notes)
      throws IOException, InterruptedException {
    setup.progress().accept(name);
    OwnProcess.Ended ended =
        OwnProcess.run(
            DeviceErrors.class,
            List.of("-Xmx2g"),
            List.of(what, simulated ? "simulated" : "gpu"),
            120,
            line -> {});
    boolean isNamed =
        ended.lines().stream().anyMatch(line -> line.startsWith(TOLD) && line.contains(expected));
    boolean isClosed =
        ended.code() == 0
            && ended.lines().contains(ENDED)
            && ended.lines().stream().anyMatch(line -> line.startsWith(CLOSED));
    notes.add(
        "%s: %s; exit code %d".formatted(name, String.join("; ", ended.lines()), ended.code()));
    return Row.alone(
        name
            + ": "
            + (isNamed ? "told by name" : "NOT told by name")
            + (isClosed ? ", closed" : ", NOT closed"),
        "missed",
        Interval.of((isNamed ? 0 : 1) + (isClosed ? 0 : 1)),
        Bar.atMost(0));
  }
}
