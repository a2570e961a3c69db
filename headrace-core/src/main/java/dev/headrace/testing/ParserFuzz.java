package dev.headrace.testing;

import com.sun.management.ThreadMXBean;
import dev.headrace.data.Plural;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Gives a parser damaged inputs, by the million if wanted: it must accept each or refuse it by an
 * exception that says why, and must not take memory out of proportion.
 *
 * <pre>{@code
 * ParserFuzz.of("rows", List.of(sound), bytes -> Rows.parse(bytes))
 *     .keptIn(Path.of("src/test/resources/fuzz")).run();
 * }</pre>
 *
 * <p>How many inputs is said by {@code -Dheadrace.fuzz=500000}, which ones by {@code
 * -Dheadrace.fuzz.seed=7}. An input depends on the seed and its number alone. One that fails is
 * written to {@code target/fuzz/}; put it into the folder that is given to {@link #keptIn}, and
 * every run tries it again.
 *
 * <p><b>Threading:</b> the parser is called on the caller's thread.
 */
public final class ParserFuzz {
  private static final long SEED = Long.getLong("headrace.fuzz.seed", 1);
  private static final int USUAL = 2_000;
  private static final long PROGRESS_NS = 30_000_000_000L;
  private static final long[] ODD_NUMBERS = {
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    32_767,
    65_535,
    65_536,
    1 << 30,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xFFFF_FFFFL,
    1L << 32,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  /** What is tried. */
  @FunctionalInterface
  public interface Parser {
    /** Takes an input, or refuses it by an exception. */
    void parse(byte[] input) throws Exception;
  }

  private final String name;
  private final List<byte[]> sound;
  private final Parser parser;
  private UnaryOperator<byte[]> repair = bytes -> bytes;
  private List<byte[]> tokens = List.of();
  private List<Class<? extends Exception>> refusals =
      List.of(IOException.class, IllegalArgumentException.class);
  private long spareBytes = 64L << 20;
  private Path kept = Path.of("src/test/resources/fuzz");

  private ParserFuzz(String name, List<byte[]> sound, Parser parser) {
    this.name = name;
    this.sound = List.copyOf(sound);
    this.parser = parser;
  }

  /**
   * A parser and inputs that it accepts, from which damaged ones are made.
   *
   * @param name of files and messages
   */
  public static ParserFuzz of(String name, List<byte[]> sound, Parser parser) {
    if (sound.isEmpty()) {
      throw new IllegalArgumentException(
          "ParserFuzz: expected at least one input that is sound, but got none");
    }
    return new ParserFuzz(name, sound, parser);
  }

  /** Repairs checksums of every other input, so that damage gets past them. */
  public ParserFuzz repairing(UnaryOperator<byte[]> checksums) {
    repair = checksums;
    return this;
  }

  /** Puts these in now and then: words and signs that mean something to the parser. */
  public ParserFuzz tokens(String... texts) {
    tokens = Stream.of(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    return this;
  }

  /** The exceptions that are refusals, if they are others than those of I/O and of arguments. */
  @SafeVarargs
  public final ParserFuzz refusingBy(Class<? extends Exception>... types) {
    refusals = List.of(types);
    return this;
  }

  /** How much memory a small input may take; 64 MB if it is not said. */
  public ParserFuzz within(long bytes) {
    spareBytes = bytes;
    return this;
  }

  /** Where inputs are that failed once, in a folder of the parser's name each. */
  public ParserFuzz keptIn(Path folder) {
    kept = folder;
    return this;
  }

  /** Runs as many inputs as is said by {@code headrace.fuzz}, or a few thousand. */
  public void run() {
    run(Integer.getInteger("headrace.fuzz", USUAL));
  }

  /** Tries what failed once, then so many damaged inputs. */
  public void run(int inputs) {
    for (byte[] input : sound) {
      if (!isAccepted(input, "sound")) {
        throw new AssertionError(
            "fuzz %s: expected sound inputs to be accepted, but one was refused".formatted(name));
      }
    }
    int old = replay();
    long accepted = 0;
    long shownNs = System.nanoTime();
    for (int number = 0; number < inputs; number++) {
      accepted += isAccepted(input(SEED, number), "seed " + SEED + ", number " + number) ? 1 : 0;
      if (System.nanoTime() - shownNs > PROGRESS_NS) {
        shownNs = System.nanoTime();
        System.out.printf("fuzz %s: %,d of %,d%n", name, number + 1, inputs);
      }
    }
    System.out.printf(
        "fuzz %s: %s of seed %d, %,d accepted, %,d refused; %d of old%n",
        name, Plural.of(inputs, "input"), SEED, accepted, inputs - accepted, old);
  }

  private int replay() {
    Path folder = kept.resolve(name);
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> all = files.sorted().toList();
      for (Path file : all) {
        boolean unused = isAccepted(Files.readAllBytes(file), file.toString());
      }
      return all.size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isAccepted(byte[] input, String which) {
    long before = Memory.allocated();
    boolean accepted = true;
    try {
      parser.parse(input.clone());
    } catch (Throwable e) {
      accepted = false;
      if (refusals.stream().noneMatch(type -> type.isInstance(e))) {
        throw failed(input, which, "got " + e, e);
      }
      if (e.getMessage() == null || e.getMessage().isBlank()) {
        throw failed(input, which, "got a refusal that does not say why, " + e, e);
      }
    }
    long taken = Memory.allocated() - before;
    if (taken > spareBytes + 64L * input.length) {
      throw failed(input, which, "it took %,d bytes for %,d".formatted(taken, input.length), null);
    }
    return accepted;
  }

  private AssertionError failed(
      byte[] input, String which, String what, @org.jspecify.annotations.Nullable Throwable cause) {
    String where = "";
    try {
      Path folder = Files.createDirectories(Path.of("target", "fuzz", name));
      Path file = folder.resolve(which.replaceAll("[^a-z0-9]+", "-") + ".bin");
      where = " in " + Files.write(file, input);
    } catch (IOException e) {
      where = " (not written: " + e + ")";
    }
    String shown =
        Base64.getEncoder().encodeToString(Arrays.copyOf(input, Math.min(input.length, 600)));
    return new AssertionError(
        "fuzz %s, %s: expected the input to be accepted or refused by %s, but %s; it is kept%s: %s"
            .formatted(
                name,
                which,
                refusals.stream().map(Class::getSimpleName).toList(),
                what,
                where,
                shown),
        cause);
  }

  /** The input of a seed and a number. */
  byte[] input(long seed, int number) {
    SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
    byte[] bytes = sound.get(random.nextInt(sound.size())).clone();
    int changes = 1 + random.nextInt(1 + random.nextInt(6));
    for (int i = 0; i < changes; i++) {
      bytes = changed(bytes, random);
    }
    return random.nextBoolean() ? repair.apply(bytes) : bytes;
  }

  private byte[] changed(byte[] bytes, SplittableRandom random) {
    int length = bytes.length;
    if (length == 0) {
      return spliced(bytes, 0, 0, noise(1 + random.nextInt(40), random));
    }
    int at = random.nextInt(length);
    int count = Math.min(length - at, 1 + random.nextInt(1 << random.nextInt(1, 8)));
    switch (random.nextInt(13)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bytes[at] = (byte) random.nextInt();
      case 2 -> bytes[at] = (byte) ODD_NUMBERS[random.nextInt(10)];
      case 3 -> putNumber(bytes, at, random);
      case 4 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 5 -> {
        return spliced(bytes, at, count, new byte[0]);
      }
      case 6 -> {
        return spliced(bytes, at, 0, Arrays.copyOfRange(bytes, at, at + count));
      }
      case 7 -> {
        byte[] other = sound.get(random.nextInt(sound.size()));
        int from = random.nextInt(other.length + 1);
        int to = from + random.nextInt(other.length - from + 1);
        return spliced(bytes, at, random.nextInt(2) * count, Arrays.copyOfRange(other, from, to));
      }
      case 8 -> {
        return spliced(bytes, at, random.nextInt(2) * count, noise(count, random));
      }
      case 9, 10 -> {
        return withOtherNumber(bytes, at, random);
      }
      default -> {
        if (tokens.isEmpty()) {
          putNumber(bytes, at, random);
        } else {
          byte[] token = tokens.get(random.nextInt(tokens.size()));
          return spliced(bytes, at, random.nextInt(2) * count, token);
        }
      }
    }
    return bytes;
  }

  /** Another number in the place of one that is written in digits, the next one there is. */
  private static byte[] withOtherNumber(byte[] bytes, int from, SplittableRandom random) {
    int at = from;
    while (at < bytes.length && (bytes[at] < '0' || bytes[at] > '9')) {
      at++;
    }
    int end = at;
    long number = 0;
    while (end < bytes.length && bytes[end] >= '0' && bytes[end] <= '9') {
      number = 10 * number + bytes[end++] - '0';
    }
    if (at == end) {
      return bytes;
    }
    long other =
        random.nextBoolean()
            ? number + random.nextInt(-3, 4)
            : ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)];
    byte[] digits = Long.toString(other).getBytes(StandardCharsets.US_ASCII);
    return spliced(bytes, at, end - at, digits);
  }

  private static byte[] noise(int count, SplittableRandom random) {
    byte[] noise = new byte[count];
    random.nextBytes(noise);
    return noise;
  }

  private static byte[] spliced(byte[] bytes, int at, int cut, byte[] piece) {
    byte[] spliced = new byte[bytes.length - cut + piece.length];
    System.arraycopy(bytes, 0, spliced, 0, at);
    System.arraycopy(piece, 0, spliced, at, piece.length);
    System.arraycopy(bytes, at + cut, spliced, at + piece.length, bytes.length - at - cut);
    return spliced;
  }

  /** A number where one may be: a length, a count, an offset. */
  private static void putNumber(byte[] bytes, int at, SplittableRandom random) {
    long number =
        random.nextBoolean()
            ? ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)]
            : random.nextLong() >> random.nextInt(64);
    ByteBuffer buffer =
        ByteBuffer.wrap(bytes)
            .order(random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    int left = bytes.length - at;
    if (left >= 8 && random.nextBoolean()) {
      buffer.putLong(at, number);
    } else if (left >= 4) {
      buffer.putInt(at, (int) number);
    } else {
      buffer.put(at, (byte) number);
    }
  }

  /** What this thread has allocated, where the machine tells. */
  private static final class Memory {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static long allocated() {
      return THREADS.getCurrentThreadAllocatedBytes();
    }
  }
}
