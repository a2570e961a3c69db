package dev.headrace.cuda;

import dev.headrace.cuda.kernel.Kernels;
import dev.headrace.cuda.kernel.OwnKernel;
import dev.headrace.cuda.kernel.Program;
import dev.headrace.data.Expression;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes one program of a deferred tensor: of the kernels that are generated, and of the user's own
 * in between.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ProgramLinker {
  private final List<Program.Launch> launches = new ArrayList<>();
  private final List<Program.Scratch> scratch = new ArrayList<>();
  private final List<Program.Decode> decodes = new ArrayList<>();
  private final List<Program.HostValue> hostValues = new ArrayList<>();

  private ProgramLinker() {}

  /**
   * The program that computes a deferred tensor.
   *
   * @throws UnsupportedOperationException if the device cannot, saying which step
   */
  static Program link(Tensor deferred) {
    if (!(deferred.expression() instanceof OwnKernel)) {
      Program program = Kernels.compile(deferred);
      if (program.hostValues().stream().noneMatch(ProgramLinker::isOfOwnKernel)) {
        return program;
      }
    }
    ProgramLinker linker = new ProgramLinker();
    linker.add(deferred, new Program.Target(), 0);
    return new Program(linker.launches, linker.scratch, linker.decodes, linker.hostValues);
  }

  private static boolean isOfOwnKernel(Program.HostValue value) {
    return value.tensor().expression() instanceof OwnKernel;
  }

  /** Adds what computes {@code tensor} to a place. */
  private void add(Tensor tensor, Program.Buffer to, long offset) {
    Expression expression = tensor.expression();
    if (expression instanceof CudaKernel.Call call) {
      addCall(call, to, offset);
    } else if (expression == null) {
      hostValues.add(new Program.HostValue(tensor, to, offset));
    } else {
      addAll(Kernels.compile(tensor), to, offset);
    }
  }

  private void addCall(CudaKernel.Call call, Program.Buffer to, long offset) {
    List<Program.Pointer> inputs = new ArrayList<>();
    for (Tensor input : call.inputs()) {
      if (input.place() != null) {
        inputs.add(new Program.Pointer(new Program.Source(input), 0));
      } else {
        Program.ScratchBuffer room = new Program.ScratchBuffer(scratch.size());
        scratch.add(new Program.Scratch(Math.max(1, input.byteSize())));
        add(input, room, 0);
        inputs.add(new Program.Pointer(room, 0));
      }
    }
    if (call.shape().elements() > 0) {
      launches.add(call.launch(inputs, new Program.Pointer(to, offset)));
    }
  }

  /** Adds a program whose result goes to a place. */
  private void addAll(Program program, Program.Buffer to, long offset) {
    int firstScratch = scratch.size();
    scratch.addAll(program.scratch());
    Mover mover = new Mover(to, offset, firstScratch);
    for (Program.Decode decode : program.decodes()) {
      Program.Pointer moved = mover.move(decode.to(), decode.offset());
      decodes.add(
          new Program.Decode(
              decode.image(),
              decode.height(),
              decode.width(),
              decode.channels(),
              moved.buffer(),
              moved.offset()));
    }
    for (Program.HostValue value : program.hostValues()) {
      Program.Pointer moved = mover.move(value.to(), value.offset());
      if (isOfOwnKernel(value)) {
        add(value.tensor(), moved.buffer(), moved.offset());
      } else {
        hostValues.add(new Program.HostValue(value.tensor(), moved.buffer(), moved.offset()));
      }
    }
    for (Program.Launch launch : program.launches()) {
      launches.add(
          new Program.Launch(
              launch.ptx(),
              launch.entry(),
              launch.gridX(),
              launch.gridY(),
              launch.gridZ(),
              launch.blockX(),
              launch.blockY(),
              launch.sharedBytes(),
              launch.args().stream().map(mover::move).toList()));
    }
  }

  /** Gives the places of a program their places in a larger one. */
  private record Mover(Program.Buffer target, long targetOffset, int firstScratch) {

    Program.Pointer move(Program.Buffer buffer, long offset) {
      return switch (buffer) {
        case Program.Target _ -> new Program.Pointer(target, targetOffset + offset);
        case Program.ScratchBuffer(int index) ->
            new Program.Pointer(new Program.ScratchBuffer(firstScratch + index), offset);
        case Program.Source source -> new Program.Pointer(source, offset);
      };
    }

    Program.Arg move(Program.Arg arg) {
      return switch (arg) {
        case Program.Pointer(Program.Buffer buffer, long offset) -> move(buffer, offset);
        case Program.Table table -> move(table);
        case Program.Int _, Program.Long _, Program.Float _, Program.Double _ -> arg;
      };
    }

    private Program.Table move(Program.Table table) {
      List<Program.Address> moved = new ArrayList<>();
      for (Program.Address address : table.addresses()) {
        Program.Pointer pointer = move(address.buffer(), address.offset());
        moved.add(new Program.Address(address.at(), pointer.buffer(), pointer.offset()));
      }
      return new Program.Table(table.bytes(), moved);
    }
  }
}
