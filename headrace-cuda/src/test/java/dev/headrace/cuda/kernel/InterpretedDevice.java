package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Place;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs programs on the host, by interpreting their kernels. */
final class InterpretedDevice {
  private static final Place PLACE =
      new Place() {
        @Override
        public String name() {
          return "interpreted";
        }

        @Override
        public int number() {
          return 0;
        }

        @Override
        public void copyToHost(MemorySegment from, MemorySegment to) {
          throw new AssertionError("nobody asks for it");
        }
      };

  private final DeviceMemory memory = new DeviceMemory();
  private final Map<String, PtxInterpreter> kernels = new HashMap<>();

  /** The tensor in this device's memory. */
  Tensor put(Tensor host) {
    MemorySegment piece = memory.allocate(host.byteSize());
    host.copyInto(piece, 0);
    return Tensor.wrap(host.dtype(), host.shape(), piece, PLACE);
  }

  /** A tensor over memory of this device that was made elsewhere. */
  Tensor wrap(DType dtype, Shape shape, MemorySegment piece) {
    memory.add(piece);
    return Tensor.wrap(dtype, shape, piece, PLACE);
  }

  /** Computes a deferred tensor as the device would. */
  Tensor compute(Tensor deferred) {
    MemorySegment target = memory.allocate(deferred.byteSize());
    run(Kernels.compile(deferred), target);
    return Tensor.wrap(deferred.dtype(), deferred.shape(), target);
  }

  private void run(Program program, MemorySegment target) {
    List<MemorySegment> scratch = new ArrayList<>();
    for (Program.Scratch piece : program.scratch()) {
      scratch.add(memory.allocate(piece.bytes()));
    }
    for (Program.Decode decode : program.decodes()) {
      decode(decode, buffer(decode.to(), scratch, target));
    }
    for (Program.HostValue value : program.hostValues()) {
      value.tensor().copyInto(buffer(value.to(), scratch, target), value.offset());
    }
    for (Program.Launch launch : program.launches()) {
      Program.Table table = (Program.Table) launch.args().getFirst();
      MemorySegment placed = memory.allocate(table.bytes().length);
      ByteBuffer bytes = placed.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      bytes.put(0, table.bytes());
      for (Program.Address address : table.addresses()) {
        MemorySegment buffer = buffer(address.buffer(), scratch, target);
        bytes.putLong(address.at(), buffer.address() + address.offset());
      }
      kernels
          .computeIfAbsent(launch.ptx(), ptx -> new PtxInterpreter(ptx, memory))
          .run(launch.gridX(), launch.gridY(), launch.blockX(), placed.address());
    }
  }

  /** As a host does that must: only the window. */
  private static void decode(Program.Decode decode, MemorySegment to) {
    Window window = decode.image().window();
    long rowBytes = (long) decode.width() * decode.channels();
    byte[] pixels = new byte[window.height() * window.width() * decode.channels()];
    decode.image().evaluateInto(MemorySegment.ofArray(pixels));
    int length = window.width() * decode.channels();
    for (int row = 0; row < window.height(); row++) {
      long at = (window.top() + row) * rowBytes + (long) window.left() * decode.channels();
      MemorySegment.copy(
          pixels, row * length, to, ValueLayout.JAVA_BYTE, decode.offset() + at, length);
    }
  }

  private static MemorySegment buffer(
      Program.Buffer buffer, List<MemorySegment> scratch, MemorySegment target) {
    return switch (buffer) {
      case Program.Source source -> source.tensor().placedMemory();
      case Program.Target ignored -> target;
      case Program.ScratchBuffer piece -> scratch.get(piece.index());
    };
  }
}
