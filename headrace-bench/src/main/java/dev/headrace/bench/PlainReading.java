package dev.headrace.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Reading files with positional reads and doing nothing with them: what a pipeline over the same
 * files cannot beat by much.
 */
final class PlainReading {
  private static final int PIECE = 1 << 20;

  private static final ThreadLocal<ByteBuffer> BUFFER =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PIECE));

  private PlainReading() {}

  /** What is done with a piece of a file, which begins at byte {@code at}. */
  @FunctionalInterface
  interface Piece {
    void read(long at, ByteBuffer bytes);
  }

  /** Reads a file from its start to its end, piece by piece, in memory of the thread. */
  static long ofFile(Path file, Piece piece) throws IOException {
    ByteBuffer buffer = BUFFER.get();
    try (FileChannel channel = FileChannel.open(file)) {
      long at = 0;
      while (true) {
        buffer.clear();
        int read = channel.read(buffer, at);
        if (read <= 0) {
          return at;
        }
        piece.read(at, buffer.flip());
        at += read;
      }
    }
  }

  /** Bytes a second over all files of a folder, each read by one of so many threads. */
  static double rate(Path folder, int threads) throws IOException, InterruptedException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(folder)) {
      files = listed.sorted().toList();
    }
    AtomicInteger next = new AtomicInteger();
    Callable<Long> reader =
        () -> {
          long bytes = 0;
          for (int i = next.getAndIncrement(); i < files.size(); i = next.getAndIncrement()) {
            bytes += ofFile(files.get(i), (at, piece) -> {});
          }
          return bytes;
        };
    try (ExecutorService readers = Executors.newFixedThreadPool(threads)) {
      long start = System.nanoTime();
      List<Future<Long>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(readers.submit(reader));
      }
      long bytes = 0;
      for (Future<Long> each : running) {
        bytes += each.get();
      }
      return bytes / ((System.nanoTime() - start) / 1e9);
    } catch (ExecutionException e) {
      throw new UncheckedIOException(new IOException("plain reading failed", e.getCause()));
    }
  }
}
