package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceStream;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.image.Images;
import dev.headrace.spi.Fn;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Part C: JPEGs in TFRecords to batches that can be trained on, in the device's memory.
 *
 * <p>Decoded on the device, beside the decoder alone and beside PyTorch's DataLoader; and decoded
 * by all cores, beside one core's speed times their number.
 */
final class DevicePhotos {
  private static final float[] MEAN = {123.675f, 116.28f, 103.53f};
  private static final float[] DEVIATION = {58.395f, 57.12f, 57.375f};
  private static final int SIDE = 224;

  /** Makes files of about 75 KB. */
  private static final double NOISE = 12.5;

  private static final int FILES = 16;
  private static final int TORCH_WORKERS = 16;

  /** Until what was read ahead is read, so that one measurement does not go on in the next. */
  private static final long REST_MS = 300;

  /** A photograph and its label; or a batch of them. */
  record Photo(Tensor image, Tensor label) {}

  /**
   * How much is measured.
   *
   * @param distinct how many photographs are made
   * @param records how many are read in an epoch
   * @param warmSeconds how long pipelines are read before
   */
  record Size(int distinct, int records, int batch, double seconds, double warmSeconds) {
    static final Size USUAL = new Size(2_000, 20_000, 256, 1.5, 4);
  }

  private final DeviceSubject subject;
  private final Setup setup;
  private final Size size;
  private final List<String> notes;

  DevicePhotos(DeviceSubject subject, Setup setup, Size size, List<String> notes) {
    this.subject = subject;
    this.setup = setup;
    this.size = size;
    this.notes = notes;
  }

  List<Row> measure() throws IOException, InterruptedException {
    try (TemporaryFolder temporary = TemporaryFolder.create("device")) {
      setup.progress().accept("C. making %,d photographs".formatted(size.distinct));
      byte[][] photos = Photos.jpegs(size.distinct, NOISE);
      Photos.writeRecords(temporary.path(), photos, size.records, FILES);
      notes.add(
          String.format(
              Locale.ROOT,
              "C. %,d records of 500 x 375 JPEGs, %.1f KB in the mean, %,d of them different, read"
                  + " from the page cache; batches of %d; CPU decoder: %s.",
              size.records,
              Arrays.stream(photos).mapToInt(photo -> photo.length).average().orElse(0) / 1e3,
              size.distinct,
              size.batch,
              Images.decoder()));
      List<Row> rows = new ArrayList<>();
      rows.addAll(decodedOnDevice(temporary.path(), photos));
      rows.addAll(decodedByCores(temporary.path()));
      return rows;
    }
  }

  private Device device() {
    return subject.device();
  }

  // ---- decoded on the device --------------------------------------------------------------------

  private static Dataset<Photo> records(Path folder) {
    return Dataset.tfRecords(folder + "/photos-*.tfrecord").repeat().map(parser(), AUTOTUNE);
  }

  private static Fn<Tensor, Photo> parser() {
    return Example.parser(Photo.class, Feature.bytes("image"), Feature.int64("label"));
  }

  /** As a user would write it. */
  private Dataset<Photo> decodedThere(Path folder, DType dtype) {
    return records(folder)
        .batch(size.batch, true)
        .prefetchToDevice(device())
        .mapOnDevice(
            batch ->
                new Photo(
                    batch
                        .image()
                        .mapRows(
                            file ->
                                Images.decodeJpeg(file)
                                    .resize(SIDE, SIDE)
                                    .normalise(MEAN, DEVIATION)
                                    .toNchw()
                                    .convert(dtype)),
                    batch.label()));
  }

  private List<Row> decodedOnDevice(Path folder, byte[][] photos) throws InterruptedException {
    int pairs = setup.pairs();
    double[] halves = new double[pairs];
    double[] floats = new double[pairs];
    double[] alone = new double[pairs];
    double[] theirs = new double[pairs];
    try (TorchProgram torch = TorchProgram.start(setup, "jpegs.py", notes);
        Arena arena = Arena.ofShared();
        Decoder decoder = new Decoder(arena, photos);
        DeviceReader<Photo> half =
            new DeviceReader<>(subject, decodedThere(folder, DType.FLOAT16));
        DeviceReader<Photo> full =
            new DeviceReader<>(subject, decodedThere(folder, DType.FLOAT32))) {
      setup.progress().accept("C. warming up");
      int count = warm(half);
      int _ = warm(full);
      double aloneRate = decoder.imagesPerSecond(4);
      int decoderCount = (int) Math.clamp(size.seconds * aloneRate / size.batch, 4, 2_000);
      String mode = torch.isThere() ? bestMode(torch, folder) : "";
      int torchCount = torch.isThere() ? torchBatches(torch, folder, mode) : 0;
      for (int pair = 0; pair < pairs; pair++) {
        setup.progress().accept("C. on the device: pair %d of %d".formatted(pair + 1, pairs));
        halves[pair] = imagesPerSecondAgain(half, count);
        floats[pair] = imagesPerSecondAgain(full, count);
        Thread.sleep(REST_MS);
        alone[pair] = decoder.imagesPerSecond(decoderCount);
        if (torch.isThere()) {
          theirs[pair] =
              torch.imagesPerSecond(folder, size.batch, torchCount, TORCH_WORKERS, mode, true);
        }
      }
      notes.add(DeviceBench.described("C. decoded on the device", half.transfers()));
      String limit = "the decoder alone, files in memory, bytes out";
      List<Row> rows = new ArrayList<>();
      rows.add(
          Row.ofRates(
              "C. decoded there, float16 NCHW",
              "images/s",
              halves,
              alone,
              limit,
              subject.bar(Bar.atLeast(25_000))));
      rows.add(
          Row.ofRates(
              "C. decoded there, float32 NCHW",
              "images/s",
              floats,
              alone,
              limit,
              subject.bar(Bar.atLeast(25_000))));
      if (torch.isThere()) {
        rows.add(
            Row.ofRates(
                "C. decoded there, float16 NCHW",
                "images/s",
                halves,
                theirs,
                torch.name("DataLoader, %d workers, mode %s", TORCH_WORKERS, mode),
                subject.bar(Bar.ratioAtLeast(4))));
      }
      return rows;
    }
  }

  /** Which of the two ways to write it is faster. */
  private String bestMode(TorchProgram torch, Path folder) {
    setup.progress().accept("C. finding PyTorch's faster form");
    double floats = torch.imagesPerSecond(folder, size.batch, 16, TORCH_WORKERS, "floats", true);
    double bytes = torch.imagesPerSecond(folder, size.batch, 16, TORCH_WORKERS, "bytes", true);
    notes.add(
        String.format(
            Locale.ROOT,
            "C. PyTorch: %,.0f images/s where workers normalise, %,.0f where the device does; the"
                + " faster is measured.",
            floats,
            bytes));
    return floats > bytes ? "floats" : "bytes";
  }

  private int torchBatches(TorchProgram torch, Path folder, String mode) {
    double rate = torch.imagesPerSecond(folder, size.batch, 8, TORCH_WORKERS, mode, true);
    return (int) Math.clamp(size.seconds * rate / size.batch, 8, 1_000);
  }

  private double imagesPerSecond(DeviceReader<Photo> reader, int batches)
      throws InterruptedException {
    return size.batch / (reader.nsPerBatch(batches) / 1e9);
  }

  /** The same after others were measured, which is not to be counted. */
  private double imagesPerSecondAgain(DeviceReader<Photo> reader, int batches)
      throws InterruptedException {
    double _ = reader.nsPerBatch(Math.max(1, batches / 2));
    return imagesPerSecond(reader, batches);
  }

  /** Reads for a while; how many batches make a measurement. */
  private int warm(DeviceReader<Photo> reader) throws InterruptedException {
    double perBatchNs = 0;
    long startNs = System.nanoTime();
    do {
      perBatchNs = reader.nsPerBatch(4);
    } while (System.nanoTime() - startNs < size.warmSeconds * 1e9);
    return (int) Math.clamp(size.seconds * 1e9 / perBatchNs, 4, 5_000);
  }

  /**
   * The device's decoder with nothing around it: files in memory, bytes out; one thread makes
   * batches ready while the other queues them, as the pipeline does.
   */
  private final class Decoder implements AutoCloseable {
    private static final int BATCHES = 4;
    private final ExecutorService preparing =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("decoder alone").daemon().factory());
    private final DeviceStream stream = device().openStream("decoder alone");
    private final List<Tensor> files = new ArrayList<>();
    private final List<MemorySegment> results = new ArrayList<>();

    Decoder(Arena arena, byte[][] photos) {
      for (int i = 0; i < BATCHES; i++) {
        byte[][] some = new byte[size.batch][];
        for (int j = 0; j < some.length; j++) {
          some[j] = photos[(i * some.length + j) % photos.length];
        }
        files.add(Tensor.wrapStrings(Shape.of(some.length), some));
      }
      long bytes = decoded(0).byteSize();
      for (int i = 0; i < BATCHES; i++) {
        results.add(device().allocate(arena, bytes));
      }
    }

    private Tensor decoded(int number) {
      return files.get(number % BATCHES).mapRows(Images::decodeJpeg);
    }

    double imagesPerSecond(int batches) throws InterruptedException {
      DeviceSubject.await(stream);
      long startNs = System.nanoTime();
      BlockingQueue<DeviceStream.Computation> ready = new ArrayBlockingQueue<>(1);
      Future<?> prepared =
          preparing.submit(
              () -> {
                for (int i = 0; i < batches; i++) {
                  ready.put(stream.prepare(decoded(i), results.get(i % BATCHES)));
                }
                return null;
              });
      for (int i = 0; i < batches; i++) {
        nextOf(ready, prepared).queue();
      }
      DeviceSubject.await(stream);
      return (double) size.batch * batches / ((System.nanoTime() - startNs) / 1e9);
    }

    private static DeviceStream.Computation nextOf(
        BlockingQueue<DeviceStream.Computation> ready, Future<?> prepared)
        throws InterruptedException {
      while (true) {
        DeviceStream.Computation next = ready.poll(1, TimeUnit.SECONDS);
        if (next != null) {
          return next;
        }
        if (prepared.isDone() && ready.isEmpty()) {
          throw new IllegalStateException(
              "C. the decoder alone: " + prepared.exceptionNow(), prepared.exceptionNow());
        }
      }
    }

    @Override
    public void close() {
      preparing.shutdownNow();
      stream.close();
    }
  }

  // ---- decoded by the cores ---------------------------------------------------------------------

  /** The function that is spread over the cores: a photograph, decoded and resized. */
  private static Photo decoded(Photo photo) {
    return new Photo(
        Images.decodeJpeg(photo.image()).resize(SIDE, SIDE).convert(DType.UINT8), photo.label());
  }

  /** Bytes over the bus; what makes floats of them is done on the device. */
  private Dataset<Photo> decodedHere(Path folder) {
    return records(folder)
        .map(photo -> decoded(photo), AUTOTUNE)
        .batch(size.batch, true)
        .prefetchToDevice(device())
        .mapOnDevice(
            batch -> new Photo(batch.image().normalise(MEAN, DEVIATION).toNchw(), batch.label()));
  }

  private List<Row> decodedByCores(Path folder) throws InterruptedException {
    int pairs = setup.pairs();
    int cores = Runtime.getRuntime().availableProcessors();
    double[] ours = new double[pairs];
    double[] one = new double[pairs];
    double[] bare = new double[pairs];
    List<Tensor> examples =
        Dataset.tfRecords(folder + "/photos-*.tfrecord").take(4L * size.batch).toList();
    try (DeviceReader<Photo> reader = new DeviceReader<>(subject, decodedHere(folder))) {
      setup.progress().accept("C. warming up");
      int count = warm(reader);
      for (int pair = 0; pair < pairs; pair++) {
        setup.progress().accept("C. on the cores: pair %d of %d".formatted(pair + 1, pairs));
        ours[pair] = imagesPerSecondAgain(reader, count);
        Thread.sleep(REST_MS);
        one[pair] = cores * onThreads(examples, 1);
        bare[pair] = onThreads(examples, cores);
      }
      notes.add(DeviceBench.described("C. decoded by the cores", reader.transfers()));
    }
    return List.of(
        Row.ofRates(
            "C. decoded by " + cores + " cores",
            "images/s",
            ours,
            one,
            "one core's rate alone, times " + cores,
            subject.bar(Bar.ratioAtLeast(0.92))),
        Row.ofRates(
            "C. decoded by " + cores + " cores",
            "images/s",
            ours,
            bare,
            cores + " bare threads with the same function, nothing handed on",
            null),
        Row.ofRates(
            "C. " + cores + " bare threads",
            "images/s",
            bare,
            one,
            "one core's rate alone, times " + cores + ": what the machine itself leaves of it",
            null));
  }

  /** Images a second that threads make which share nothing. */
  private double onThreads(List<Tensor> examples, int threads) throws InterruptedException {
    LongAdder made = new LongAdder();
    AtomicBoolean isOver = new AtomicBoolean();
    List<Thread> running = new ArrayList<>();
    long startNs = System.nanoTime();
    for (int t = 0; t < threads; t++) {
      int first = t * examples.size() / threads;
      running.add(Thread.ofPlatform().start(() -> decodeOnAndOn(examples, first, made, isOver)));
    }
    Thread.sleep((long) (size.seconds * 1e3));
    isOver.set(true);
    for (Thread thread : running) {
      thread.join();
    }
    return made.sum() / ((System.nanoTime() - startNs) / 1e9);
  }

  private static void decodeOnAndOn(
      List<Tensor> examples, int first, LongAdder made, AtomicBoolean isOver) {
    Fn<Tensor, Photo> parser = parser();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate((long) SIDE * SIDE * 3, 64);
      for (int i = first; !isOver.get(); i++) {
        decoded(parser.apply(examples.get(i % examples.size()))).image().copyInto(slot, 0);
        made.increment();
      }
    } catch (Exception e) {
      throw new IllegalStateException("decoding on a bare thread: " + e, e);
    }
  }
}
