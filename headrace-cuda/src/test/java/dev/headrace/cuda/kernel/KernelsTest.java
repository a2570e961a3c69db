package dev.headrace.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.ImageSource;
import dev.headrace.data.image.Resize;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is launched, copied and decoded. */
class KernelsTest {
  private static final float[] MEAN = {1, 2, 3};

  private final InterpretedDevice device = new InterpretedDevice();

  private static Tensor photo(int height, int width) {
    return Tensor.zeros(DType.UINT8, Shape.of(height, width, 3));
  }

  private static Tensor file(int row) {
    return FakeJpeg.of(photo(30 + row, 40 + 2 * row));
  }

  private static Tensor training(int row) {
    return file(row).crop(row % 5, row % 3, 20, 21).resize(8, 8).normalise(MEAN, MEAN).toNchw();
  }

  private static Tensor stack(int from, int to) {
    return Tensor.stack(IntStream.range(from, to).mapToObj(KernelsTest::training).toList());
  }

  private static String text(Tensor tensor) {
    Program program = Kernels.compile(tensor);
    assertThat(program.launches()).hasSize(1);
    return program.launches().getFirst().ptx();
  }

  // ---- launches

  @Test
  void aChainOfStepsOnManyImagesIsOneLaunch() {
    Program program = Kernels.compile(stack(0, 20));
    assertThat(program.launches()).hasSize(1);
    assertThat(program.launches().getFirst().gridY()).isEqualTo(20);
    assertThat(program.decodes()).hasSize(20);
    assertThat(program.scratch()).hasSize(1);
    assertThat(program.hostValues()).isEmpty();
  }

  @Test
  void sizesAndNumbersAreNotInTheText() {
    assertThat(text(stack(0, 3))).isEqualTo(text(stack(3, 9)));
    Tensor some = device.put(photo(10, 10));
    Tensor other = device.put(photo(33, 7));
    assertThat(text(some.resize(4, 4).add(1))).isEqualTo(text(other.resize(9, 2).add(-3)));
    assertThat(text(some.pad(1, 1, 20, 20))).isEqualTo(text(other.pad(0, 2, 40, 40)));
    Resize smooth = Resize.BILINEAR.antialiased();
    assertThat(text(some.resize(4, 4, smooth))).isEqualTo(text(other.resize(9, 2, smooth)));
    assertThat(text(some.sum())).isEqualTo(text(other.sum()));
  }

  @Test
  void rowsOfDifferentStepsAreALaunchForEachStructure() {
    List<Tensor> rows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Tensor image = file(i).resize(8, 8);
      rows.add(i % 3 == 0 ? image.flipLeftRight() : image);
    }
    Program program = Kernels.compile(Tensor.stack(rows));
    assertThat(program.launches()).extracting(Program.Launch::gridY).containsExactly(4, 6);
  }

  @Test
  void stepsOnAStackArePartOfItsRows() {
    Tensor stack = Tensor.stack(List.of(file(1).resize(8, 8), file(2).resize(8, 8)));
    Program program = Kernels.compile(stack.normalise(MEAN, MEAN).toNchw().convert(DType.FLOAT16));
    assertThat(program.launches()).hasSize(1);
    assertThat(program.launches().getFirst().gridY()).isEqualTo(2);
  }

  @Test
  void aReductionReadsItsSourceOnceAndKeepsLittle() {
    Tensor values = device.put(Tensor.zeros(DType.FLOAT32, Shape.of(1_000_000)));
    Program program = Kernels.compile(values.square().sum());
    assertThat(program.launches()).hasSize(2);
    assertThat(program.launches().getFirst().gridX()).isBetween(100, 1_024);
    assertThat(program.launches().getLast().gridX()).isEqualTo(1);
    assertThat(program.scratch().getFirst().bytes()).isLessThan(10_000);
    assertThat(Kernels.compile(values.slice(0, 10_000).square().sum()).launches()).hasSize(1);
  }

  @Test
  void whatIsUsedTwiceIsComputedOnce() {
    Tensor values = device.put(Tensor.zeros(DType.FLOAT32, Shape.of(100)));
    Tensor mean = values.mean();
    Program program = Kernels.compile(values.subtract(mean).divide(mean));
    assertThat(program.launches())
        .extracting(Program.Launch::entry)
        .containsExactly("headrace_reduce", "headrace_elements");
  }

  @Test
  void moreRowsThanAGridHasAreSeveralLaunches() {
    Tensor one = device.put(Tensor.scalar(1f).square());
    Program program = Kernels.compile(Tensor.stack(Collections.nCopies(70_000, one.add(1))));
    assertThat(program.launches())
        .extracting(Program.Launch::gridY)
        .containsExactly(65_535, 70_000 - 65_535);
  }

  @Test
  void equalFiltersAreInTheTableOnce() {
    Tensor some = device.put(photo(100, 100));
    Resize smooth = Resize.BILINEAR.antialiased();
    int one = tableBytes(Tensor.stack(Collections.nCopies(1, some.resize(20, 20, smooth))));
    List<Tensor> rows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      rows.add(device.put(photo(100, 100)).resize(20, 20, smooth));
    }
    assertThat(tableBytes(Tensor.stack(rows))).isLessThan(one * 3);
  }

  private static int tableBytes(Tensor tensor) {
    Program.Launch launch = Kernels.compile(tensor).launches().getFirst();
    return ((Program.Table) launch.args().getFirst()).bytes().length;
  }

  // ---- what the host gives

  @Test
  void whatTheHostHasIsCopiedAsItIs() {
    Tensor values = Tensor.of(1f, 2f, 3f);
    Program program = Kernels.compile(Tensor.stack(List.of(values, values)));
    assertThat(program.launches()).isEmpty();
    assertThat(program.hostValues())
        .containsExactly(
            new Program.HostValue(values, new Program.Target(), 0),
            new Program.HostValue(values, new Program.Target(), 12));
  }

  @Test
  void aScalarOfTheHostIsANumberOfTheRow() {
    Tensor values = device.put(Tensor.of(1f, 2f));
    assertThat(Kernels.compile(values.add(Tensor.scalar(3f))).hostValues()).isEmpty();
  }

  @Test
  void aWholeFileIsDecodedStraightToItsPlace() {
    Program program = Kernels.compile(Tensor.stack(List.of(file(1), file(1))));
    assertThat(program.launches()).isEmpty();
    assertThat(program.scratch()).isEmpty();
    assertThat(program.decodes())
        .extracting(Program.Decode::offset)
        .containsExactly(0L, 31 * 42 * 3L);
  }

  @Test
  void aHostThatMustDecodeDecodesWhatIsNeeded() {
    Tensor file = file(1);
    Tensor windows =
        Tensor.stack(List.of(file.crop(2, 3, 4, 5).scale(1), file.crop(5, 1, 4, 5).scale(1)));
    Program program = Kernels.compile(windows);
    assertThat(program.decodes()).hasSize(1);
    Program.Decode decode = program.decodes().getFirst();
    assertThat(decode.image().window()).isEqualTo(new Window(2, 1, 7, 7));
    assertThat(decode.height()).isEqualTo(31);
    assertThat(decode.width()).isEqualTo(42);
    assertThat(Kernels.compile(file(1).scale(1)).decodes().getFirst().image())
        .isInstanceOf(FakeJpeg.class);
  }

  @Test
  void filesThatNeedTheHostAreDecodedThereAsFarAsNeeded() {
    Tensor odd = Tensor.deferred(new FakeJpeg(photo(30, 40), new Window(0, 0, 30, 40), false));
    Program program = Kernels.compile(odd.crop(1, 2, 10, 11).resize(4, 4));
    assertThat(program.decodes()).isEmpty();
    assertThat(program.hostValues()).hasSize(1);
    assertThat(program.hostValues().getFirst().tensor().shape()).isEqualTo(Shape.of(10, 11, 3));
    assertThat(program.launches()).hasSize(1);
  }

  /** Something that only its author knows. */
  private record Unknown(List<Tensor> sources) implements Expression, ImageSource {
    @Override
    public DType dtype() {
      return DType.UINT8;
    }

    @Override
    public Shape shape() {
      return Shape.of(5, 6, 3);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      destination.fill((byte) 3);
    }

    @Override
    public void evaluateWindow(Window window, MemorySegment destination) {
      destination.fill((byte) 3);
    }

    @Override
    public String describe() {
      return "something";
    }
  }

  @Test
  void aStepThatIsNotKnownIsTheHostsIfItsSourcesAre() {
    Tensor unknown = Tensor.deferred(new Unknown(List.of(Tensor.of(1f))));
    Program program = Kernels.compile(unknown.flipUpDown());
    assertThat(program.hostValues()).extracting(Program.HostValue::tensor).containsExactly(unknown);
    assertThat(device.compute(unknown.scale(2)).toFloatArray()).containsOnly(6f);
  }

  @Test
  void aStepThatIsNotKnownOnTheDeviceIsNamed() {
    Tensor placed = device.put(Tensor.of(1f));
    Tensor unknown = Tensor.deferred(new Unknown(List.of(placed.add(1))));
    assertThatThrownBy(() -> Kernels.compile(unknown.resize(3, 3).scale(2)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "device: expected steps that a GPU can compute, but got something; let map compute it"
                + " before prefetchToDevice");
  }

  /** A user's kernel, which is launched by whoever runs the program. */
  private record Own(List<Tensor> sources) implements OwnKernel {
    @Override
    public DType dtype() {
      return DType.FLOAT32;
    }

    @Override
    public Shape shape() {
      return Shape.of(4);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      throw new AssertionError("not on the host");
    }

    @Override
    public String describe() {
      return "own";
    }
  }

  @Test
  void aUsersKernelIsGivenAsAHostValue() {
    Tensor own = Tensor.deferred(new Own(List.of(device.put(Tensor.of(1f)))));
    Program program = Kernels.compile(own.add(1));
    assertThat(program.hostValues())
        .containsExactly(new Program.HostValue(own, new Program.ScratchBuffer(0), 0));
    assertThat(program.launches()).hasSize(1);
  }

  @Test
  void nothingIsLaunchedForNothing() {
    Tensor none = device.put(Tensor.zeros(DType.FLOAT32, Shape.of(0, 3)));
    assertThat(Kernels.compile(none.square())).isEqualTo(new Program(List.of(), List.of()));
  }
}
