package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Part D: whether memory stays as it is over a million small batches, in a process of its own whose
 * heap is all there from the beginning.
 */
public final class DeviceLeaks {
  private static final int POINTS = 10;
  private static final List<String> JVM =
      List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

  /** The last point of the beginning: from there on nothing may grow. */
  private static final int SETTLED = 4;

  /** Of a million batches, half are compared: this much is 64 bytes a batch. */
  private static final double MOST_RSS_MB = 32;

  private DeviceLeaks() {}

  /** What a process holds after so many batches. */
  private record Point(long batches, long deviceBytes, long pinnedBytes, long rssBytes) {
    static Point parse(String line) {
      long[] numbers = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
      return new Point(numbers[0], numbers[1], numbers[2], numbers[3]);
    }
  }

  /** Arguments: {@code gpu} or {@code simulated}, and how many batches. Prints a line a point. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    long batches = Long.parseLong(arguments[1]);
    try (DeviceSubject subject = DeviceSubject.open(arguments[0].equals("simulated"));
        Pipeline<Tensor> pipeline =
            Dataset.range(batches)
                .map(i -> Tensor.full(Shape.of(256), (float) i))
                .prefetchToDevice(subject.device())
                .mapOnDevice(x -> x.scale(2))
                .open()) {
      long delivered = 0;
      int point = 1;
      for (Tensor batch : pipeline) {
        delivered += batch.elements() / 256;
        if (delivered >= batches * point / POINTS) {
          subject.settle();
          System.out.printf(
              Locale.ROOT,
              "%d %d %d %d%n",
              delivered,
              CudaKernels.usedBytes(subject.device()),
              CudaKernels.pinnedBytes(subject.device()),
              residentBytes());
          point++;
        }
      }
    }
  }

  private static long residentBytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (Files.isReadable(status)) {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        }
      }
    }
    return 0;
  }

  static List<Row> measure(boolean simulated, long batches, Setup setup, List<String> notes)
      throws IOException, InterruptedException {
    String name = String.format(Locale.ROOT, "D. %,d batches", batches);
    setup.progress().accept(name);
    long startNs = System.nanoTime();
    OwnProcess.Ended ended =
        OwnProcess.run(
            DeviceLeaks.class,
            JVM,
            List.of(simulated ? "simulated" : "gpu", Long.toString(batches)),
            600,
            line -> setup.progress().accept(name + ": " + described(Point.parse(line))));
    double seconds = (System.nanoTime() - startNs) / 1e9;
    if (ended.code() != 0 || ended.lines().size() != POINTS) {
      throw new IOException(
          "%s: expected %d lines from a process of its own, but it ended with %d after %d"
              .formatted(name, POINTS, ended.code(), ended.lines().size()));
    }
    List<Point> points = ended.lines().stream().map(Point::parse).toList();
    points.forEach(point -> notes.add(name + ": " + described(point)));
    List<Row> rows = new ArrayList<>();
    rows.add(grown(name + ": device memory grown", points, Point::deviceBytes, 0));
    rows.add(grown(name + ": pinned memory grown", points, Point::pinnedBytes, 0));
    rows.add(grown(name + ": resident memory grown", points, Point::rssBytes, MOST_RSS_MB));
    rows.add(
        Row.alone(name + ", start included", "batches/s", Interval.of(batches / seconds), null));
    return rows;
  }

  private static String described(Point point) {
    return String.format(
        Locale.ROOT,
        "after %,d device %.1f MB, pinned %.1f MB, resident %.1f MB",
        point.batches,
        point.deviceBytes / 1e6,
        point.pinnedBytes / 1e6,
        point.rssBytes / 1e6);
  }

  private interface Memory {
    long of(Point point);
  }

  /** From the most of the points when it had settled to the most of those after. */
  private static Row grown(String name, List<Point> points, Memory memory, double mostMb) {
    long before = most(points.subList(1, SETTLED + 1), memory);
    long after = most(points.subList(SETTLED + 1, points.size()), memory);
    double grown = Math.max(0, after - before) / 1e6;
    return Row.alone(name, "MB", Interval.of(grown), Bar.atMost(mostMb));
  }

  private static long most(List<Point> points, Memory memory) {
    return points.stream().mapToLong(memory::of).max().orElse(0);
  }
}
