package dev.headrace.bench;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Resize;
import dev.headrace.data.image.ResizeKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * CPU time of one photo's way from bytes in native memory to floats in native memory, on one
 * thread: the resize by each kernel, and with the steps that usually follow.
 */
final class ResizeRows {
  private static final int IMAGES = 200;
  private static final int WARM_IMAGES = 4000;
  private static final Shape PHOTO = Shape.of(375, 500, 3);
  private static final float[] MEAN = {123.675f, 116.28f, 103.53f};
  private static final float[] DEVIATION = {58.395f, 57.12f, 57.375f};

  private ResizeRows() {}

  static List<Row> measure(Setup setup) {
    setup.progress().accept("resize");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pixels = arena.allocate(PHOTO.elements(), 64);
      byte[] random = new byte[(int) PHOTO.elements()];
      new Random(1).nextBytes(random);
      pixels.copyFrom(MemorySegment.ofArray(random));
      Tensor photo = Tensor.wrap(DType.UINT8, PHOTO, pixels);
      return rows(setup, photo, arena);
    } finally {
      ResizeKernel.MEASURED.use();
    }
  }

  private static List<Row> rows(Setup setup, Tensor photo, Arena arena) {
    MemorySegment destination = arena.allocate(224 * 224 * 3 * 4, 64);
    List<Row> rows = new ArrayList<>();
    MemorySegment plain = null;
    for (ResizeKernel kernel : List.of(ResizeKernel.PLAIN, ResizeKernel.VECTOR)) {
      if (!kernel.isAvailable()) {
        continue;
      }
      kernel.use();
      String way = kernel == ResizeKernel.PLAIN ? "plain Java" : "vector API";
      rows.add(
          row(
              "resize 500x375→224 u8→f32, " + way,
              image -> image.resize(224, 224),
              setup,
              photo,
              destination));
      MemorySegment result = arena.allocate(destination.byteSize()).copyFrom(destination);
      if (plain != null && plain.mismatch(result) != -1) {
        throw new IllegalStateException("resize: expected the same bits of all kernels");
      }
      plain = result;
      rows.add(
          row(
              "… with flip, normalise, NCHW, " + way,
              image -> image.resize(224, 224).flipLeftRight().normalise(MEAN, DEVIATION).toNchw(),
              setup,
              photo,
              destination));
    }
    rows.add(
        row(
            "resize 500x375→224 u8→f32, antialias",
            image -> image.resize(224, 224, Resize.BILINEAR.antialiased()),
            setup,
            photo,
            destination));
    return rows;
  }

  private static Row row(
      String name,
      UnaryOperator<Tensor> steps,
      Setup setup,
      Tensor photo,
      MemorySegment destination) {
    for (int i = 0; i < WARM_IMAGES; i++) {
      steps.apply(photo).copyInto(destination, 0);
    }
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double[] us = new double[setup.pairs()];
    for (int pair = 0; pair < us.length; pair++) {
      long began = threads.getCurrentThreadCpuTime();
      for (int i = 0; i < IMAGES; i++) {
        steps.apply(photo).copyInto(destination, 0);
      }
      us[pair] = (threads.getCurrentThreadCpuTime() - began) / 1e3 / IMAGES;
    }
    return Row.alone(name, "CPU µs/image", Interval.of(us), null);
  }
}
