package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.cuda.kernel.Program;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class CudaKernelTest {
  private static final CudaKernel ADD = CudaKernel.ofPtx(".entry add", "add");

  @Test
  void isLaunchedWithInputsResultCountAndNumbers() {
    Tensor a = Tensor.of(1f, 2f, 3f);
    Tensor b = Tensor.of(4f, 5f, 6f);
    Tensor sum = ADD.apply(DType.FLOAT32, Shape.of(3), List.of(a, b), 7, 8L, 9f, 10.0);

    Program program = ProgramLinker.link(sum);

    assertThat(program.scratch()).containsExactly(new Program.Scratch(12), new Program.Scratch(12));
    assertThat(program.hostValues())
        .containsExactly(
            new Program.HostValue(a, new Program.ScratchBuffer(0), 0),
            new Program.HostValue(b, new Program.ScratchBuffer(1), 0));
    Program.Launch launch = program.launches().getFirst();
    assertThat(launch.args())
        .containsExactly(
            new Program.Pointer(new Program.ScratchBuffer(0), 0),
            new Program.Pointer(new Program.ScratchBuffer(1), 0),
            new Program.Pointer(new Program.Target(), 0),
            new Program.Long(3),
            new Program.Int(7),
            new Program.Long(8),
            new Program.Float(9),
            new Program.Double(10));
    assertThat(launch.gridX()).isEqualTo(1);
    assertThat(launch.blockX()).isEqualTo(256);
  }

  @Test
  void oneKernelReadsWhatAnotherWrote() {
    Tensor inner = ADD.apply(DType.FLOAT32, Shape.of(300), List.of());
    Tensor outer = ADD.apply(DType.FLOAT32, Shape.of(300), List.of(inner, inner));

    Program program = ProgramLinker.link(outer);

    assertThat(program.launches()).hasSize(3); // deferred twice, computed twice
    assertThat(program.launches().getFirst().gridX()).isEqualTo(2);
    assertThat(program.launches().getFirst().args().getFirst())
        .isEqualTo(new Program.Pointer(new Program.ScratchBuffer(0), 0));
    assertThat(program.launches().get(2).args())
        .startsWith(
            new Program.Pointer(new Program.ScratchBuffer(0), 0),
            new Program.Pointer(new Program.ScratchBuffer(1), 0),
            new Program.Pointer(new Program.Target(), 0));
    assertThat(program.hostValues()).isEmpty();
  }

  @Test
  void theGridCanBeChosen() {
    CudaKernel kernel = ADD.block(128).grid(7).sharedBytes(64);
    Program.Launch launch =
        ProgramLinker.link(kernel.apply(DType.UINT8, Shape.of(1_000_000), List.of()))
            .launches()
            .getFirst();
    assertThat(launch.blockX()).isEqualTo(128);
    assertThat(launch.gridX()).isEqualTo(7);
    assertThat(launch.sharedBytes()).isEqualTo(64);
    assertThatThrownBy(() -> ADD.block(1025))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("kernel add: expected blocks of 1 to 1,024 threads, but got 1,025");
    assertThatThrownBy(() -> ADD.grid(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ADD.sharedBytes(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anEmptyResultIsNotLaunchedFor() {
    assertThat(
            ProgramLinker.link(ADD.apply(DType.UINT8, Shape.of(0), List.of(Tensor.of(1f))))
                .launches())
        .isEmpty();
  }

  @Test
  void theHostRefusesUnlessItHasATwin() {
    Tensor source = Tensor.of(1f, 2f);
    assertThatThrownBy(() -> ADD.apply(DType.FLOAT32, Shape.of(2), List.of(source)).toFloatArray())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "kernel add: expected to run on a GPU, but the host was asked; give it a twin with"
                + " onHost(...), or use it in mapOnDevice(...)");
    CudaKernel twin = ADD.onHost(inputs -> inputs.getFirst().scale(3));
    assertThat(twin.apply(DType.FLOAT32, Shape.of(2), List.of(source)).toFloatArray())
        .containsExactly(3f, 6f);
    assertThatThrownBy(() -> twin.apply(DType.FLOAT32, Shape.of(1), List.of(source)).compute())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected its twin on the host to make float[1], but got float[2]");
  }

  @Test
  void mistakesAreRefusedWhereTheyAreMade() {
    assertThatThrownBy(() -> CudaKernel.ofPtx(".entry add", "sub"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("kernel: expected PTX with an entry named sub, but there is none");
    assertThatThrownBy(() -> ADD.apply(DType.UINT8, Shape.of(1), List.of(), (byte) 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "kernel add: expected numbers of type Integer, Long, Float or Double, but got 1 of"
                + " type Byte");
    assertThatThrownBy(() -> ADD.apply(DType.UINT8, Shape.of(1), List.of(Tensor.ofStrings("a"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("kernel add: expected inputs of numbers, but got ");
  }

  @Test
  void describesItself() {
    Tensor sum = ADD.apply(DType.FLOAT32, Shape.of(2), List.of(Tensor.of(1f, 2f)), 7, 0.5);
    assertThat(sum.describe()).startsWith("kernel add(7, 0.5) ← float[2]");
  }
}
