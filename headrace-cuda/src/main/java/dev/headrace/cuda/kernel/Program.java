package dev.headrace.cuda.kernel;

import dev.headrace.data.Plural;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.JpegSource;
import java.util.List;

/**
 * A computation on the device, ready to be launched: what is made of a deferred tensor.
 *
 * <p>It runs in one stream, in this order: scratch memory is taken, decodes and host values are put
 * in place, the launches run one after the other, scratch memory is given back.
 *
 * <p><b>Threading:</b> immutable, arrays in it too once it is made.
 *
 * @param launches kernels, one after the other
 * @param scratch device memory for the time of the program
 * @param decodes JPEG files to be decoded before the launches, all of them as one batch
 * @param hostValues tensors of the host to be put in place before the launches
 */
public record Program(
    List<Launch> launches,
    List<Scratch> scratch,
    List<Decode> decodes,
    List<HostValue> hostValues) {

  public Program {
    launches = List.copyOf(launches);
    scratch = List.copyOf(scratch);
    decodes = List.copyOf(decodes);
    hostValues = List.copyOf(hostValues);
  }

  /** A program of kernels only. */
  public Program(List<Launch> launches, List<Scratch> scratch) {
    this(launches, scratch, List.of(), List.of());
  }

  /**
   * One launch of a kernel.
   *
   * @param ptx a whole module with one entry; equal texts are compiled once
   * @param entry the entry's name
   * @param gridX blocks, at least 1
   * @param gridY blocks, 1 to 65,535
   * @param gridZ blocks, 1 to 65,535
   * @param blockX threads of a block, at least 1; {@code blockX * blockY} is at most 1,024
   * @param blockY threads of a block, at least 1
   * @param sharedBytes shared memory of a block besides what the module declares
   * @param args in the order of the entry's parameters
   */
  public record Launch(
      String ptx,
      String entry,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int sharedBytes,
      List<Arg> args) {

    public Launch {
      if (gridX < 1 || gridY < 1 || gridY > 65_535 || gridZ < 1 || gridZ > 65_535) {
        throw new IllegalArgumentException(
            "launch of %s: expected a grid of 1 to 2,147,483,647 × 65,535 × 65,535 blocks, but got %d × %d × %d"
                .formatted(entry, gridX, gridY, gridZ));
      }
      if (blockX < 1 || blockY < 1 || (long) blockX * blockY > 1_024) {
        throw new IllegalArgumentException(
            "launch of %s: expected a block of 1 to 1,024 threads, but got %d × %d"
                .formatted(entry, blockX, blockY));
      }
      args = List.copyOf(args);
    }
  }

  /** An argument of a kernel. */
  public sealed interface Arg {}

  /** The address of a place in a buffer, as {@code .u64}. */
  public record Pointer(Buffer buffer, long offset) implements Arg {}

  /** {@code .u32} or {@code .s32}. */
  public record Int(int value) implements Arg {}

  /** {@code .u64} or {@code .s64}. */
  public record Long(long value) implements Arg {}

  /** {@code .f32}. */
  public record Float(float value) implements Arg {}

  /** {@code .f64}. */
  public record Double(double value) implements Arg {}

  /**
   * The address, as {@code .u64}, of bytes that are copied to device memory before the launch, at a
   * multiple of 256.
   *
   * @param bytes not written after it was made
   * @param addresses addresses known only when the program runs, each written over 8 of the bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // a table is told from another by identity
  public record Table(byte[] bytes, List<Address> addresses) implements Arg {
    public Table {
      addresses = List.copyOf(addresses);
      for (Address address : addresses) {
        if (address.at < 0 || address.at > bytes.length - 8) {
          throw new IllegalArgumentException(
              "table of %s: expected an address within it, but got one at %,d"
                  .formatted(Plural.of(bytes.length, "byte"), address.at));
        }
      }
    }

    /** A table of plain numbers. */
    public Table(byte[] bytes) {
      this(bytes, List.of());
    }
  }

  /** Where in a table the address of a place in a buffer stands, little endian. */
  public record Address(int at, Buffer buffer, long offset) {}

  /** Memory of the device. */
  public sealed interface Buffer {}

  /** The memory of a tensor on this device. */
  public record Source(Tensor tensor) implements Buffer {}

  /** The memory of the result. */
  public record Target() implements Buffer {}

  /** One of the program's scratch buffers, by its place in the list. */
  public record ScratchBuffer(int index) implements Buffer {}

  /**
   * Memory of the device for the time of the program; its content is undefined, its address a
   * multiple of 256.
   */
  public record Scratch(long bytes) {
    public Scratch {
      if (bytes < 1) {
        throw new IllegalArgumentException(
            "scratch memory: expected at least 1 byte, but got " + bytes);
      }
    }
  }

  /**
   * A JPEG file to be decoded whole, row by row without gaps, uint8 of [height, width, channels].
   *
   * <p>Only the pixels of {@code image.window()} are sure to be there afterwards: where the host
   * must decode, it writes no others.
   *
   * @param height of the whole image, not of the window
   * @param width of the whole image, not of the window
   * @param channels 1 for grey, 3 for RGB
   * @param offset where in {@code to} the first pixel of the whole image comes to lie
   */
  public record Decode(
      JpegSource image, int height, int width, int channels, Buffer to, long offset) {
    public Decode {
      if (height < 1 || width < 1 || (channels != 1 && channels != 3)) {
        throw new IllegalArgumentException(
            "decode: expected an image of at least one pixel, grey or RGB, but got %d × %d × %d"
                .formatted(height, width, channels));
      }
    }

    /** How much memory the whole image takes. */
    public long bytes() {
      return (long) height * width * channels;
    }
  }

  /**
   * A tensor of the host, deferred (a PNG file, say) or not: computed by the host into staging
   * memory and copied there, {@code tensor.byteSize()} bytes.
   *
   * <p>Also the result of an {@link OwnKernel}, wherever its sources are: that is launched on the
   * device before what is listed in {@link #launches}.
   */
  public record HostValue(Tensor tensor, Buffer to, long offset) {}
}
