package dev.headrace;

import dev.headrace.data.PartialFile;
import dev.headrace.data.Plural;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint of a training: a few lines of text, the pipeline's checkpoint, the model's bytes,
 * and a sum over all of it.
 *
 * <p>What is read is treated as hostile: the sum is compared before anything else, lengths are
 * bounded by the file's, and the model is given its own bytes only.
 *
 * @param steps trained since the very first
 * @param epochSteps of them, in the epoch of the position, with their elements and losses
 * @param hasModel whether there are bytes of a model
 * @param modelAt where in the file they begin, and how many there are
 */
record TrainingFile(
    long steps,
    long epochSteps,
    long epochElements,
    double epochLoss,
    long epochLosses,
    Checkpoint position,
    boolean hasModel,
    long modelAt,
    long modelBytes) {
  private static final String MAGIC = "headrace training 1";
  private static final String SUM = "\nsum ";
  private static final int SUM_BYTES = SUM.length() + 9;
  private static final int LONGEST_LINE = 100;
  private static final int MOST_POSITION_BYTES = 1 << 28;

  /** What is to be written. */
  static TrainingFile of(
      long steps,
      long epochSteps,
      long epochElements,
      double epochLoss,
      long epochLosses,
      Checkpoint position) {
    return new TrainingFile(
        steps, epochSteps, epochElements, epochLoss, epochLosses, position, false, 0, 0);
  }

  // ---- writing ----------------------------------------------------------------------------------

  /** Writes the file so that a crash leaves either the old one or the new one. */
  void write(Path file, @Nullable ModelState model) throws IOException {
    CRC32C sum = new CRC32C();
    try (PartialFile raw = PartialFile.beside(file)) {
      OutputStream out = new BufferedOutputStream(new CheckedOutputStream(raw, sum), 1 << 16);
      out.write(head(model != null));
      if (model != null) {
        model.save(new Unclosable(out));
      }
      out.flush();
      raw.write((SUM + hex(sum) + "\n").getBytes(StandardCharsets.US_ASCII));
      raw.publish();
    }
  }

  private byte[] head(boolean withModel) {
    byte[] text = position.toString().getBytes(StandardCharsets.UTF_8);
    String lines =
        """
        %s
        steps %d
        epoch steps %d
        epoch elements %d
        epoch loss %s
        epoch losses %d
        model %b
        position %d
        """
            .formatted(
                MAGIC,
                steps,
                epochSteps,
                epochElements,
                Double.toHexString(epochLoss),
                epochLosses,
                withModel,
                text.length);
    byte[] head = lines.getBytes(StandardCharsets.US_ASCII);
    byte[] all = new byte[head.length + text.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(text, 0, all, head.length, text.length);
    return all;
  }

  private static String hex(CRC32C sum) {
    return String.format(Locale.ROOT, "%08x", sum.getValue());
  }

  // ---- reading ----------------------------------------------------------------------------------

  /** Reads a file, all but the model's bytes. */
  static TrainingFile read(Path file) throws IOException {
    long body = checkSum(file);
    try (Lines in = new Lines(file)) {
      in.expect(MAGIC, "");
      long steps = in.number("steps ");
      long epochSteps = in.number("epoch steps ");
      long epochElements = in.number("epoch elements ", Dataset.UNKNOWN);
      double epochLoss = in.real("epoch loss ");
      long epochLosses = in.number("epoch losses ");
      boolean hasModel = in.flag("model ");
      long positionBytes = in.number("position ");
      long left = body - in.at;
      if (positionBytes > Math.min(left, MOST_POSITION_BYTES)) {
        throw in.damaged(
            "a position of at most " + left + " " + Plural.word(left, "byte"), positionBytes);
      }
      byte[] text = in.stream.readNBytes((int) positionBytes);
      Checkpoint position = Checkpoint.parse(new String(text, StandardCharsets.UTF_8));
      long modelAt = in.at + positionBytes;
      return new TrainingFile(
          steps,
          epochSteps,
          epochElements,
          epochLoss,
          epochLosses,
          position,
          hasModel,
          modelAt,
          body - modelAt);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  /** Gives the model its bytes of the file that this was read from. */
  void load(Path file, ModelState model) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      in.skipNBytes(modelAt);
      model.load(new Bounded(in, modelBytes));
    }
  }

  /** How many bytes are before the sum, which is right. */
  private static long checkSum(Path file) throws IOException {
    long body = Files.size(file) - SUM_BYTES;
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(MAGIC.length());
      if (!new String(start, StandardCharsets.ISO_8859_1).equals(MAGIC)) {
        throw new IllegalArgumentException(
            file
                + ": expected a training's checkpoint, but it does not begin with '"
                + MAGIC
                + "'");
      }
      CRC32C sum = new CRC32C();
      sum.update(start);
      byte[] buffer = new byte[1 << 16];
      for (long left = body - start.length; left > 0; ) {
        int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
        if (read < 0) {
          break;
        }
        sum.update(buffer, 0, read);
        left -= read;
      }
      String end = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      if (!end.equals(SUM + hex(sum) + "\n")) {
        throw new IllegalArgumentException(
            file
                + ": expected a sum over all of it at the end, but it does not fit; the file is"
                + " damaged or was cut off");
      }
    }
    return body;
  }

  /** The lines at the start of a file. */
  private static final class Lines implements AutoCloseable {
    final InputStream stream;
    long at;

    Lines(Path file) throws IOException {
      stream = new BufferedInputStream(Files.newInputStream(file));
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = stream.read(); next != '\n'; next = stream.read()) {
        if (next < 0 || line.length() == LONGEST_LINE) {
          throw damaged("a line of text", line);
        }
        line.append((char) next);
      }
      at += line.length() + 1;
      return line.toString();
    }

    /** What a line has after its name. */
    private String after(String name) throws IOException {
      String line = line();
      if (!line.startsWith(name)) {
        throw damaged("'" + name.strip() + "'", line);
      }
      return line.substring(name.length());
    }

    void expect(String name, String value) throws IOException {
      String got = after(name);
      if (!got.equals(value)) {
        throw damaged("'" + name + value + "'", name + got);
      }
    }

    long number(String name) throws IOException {
      return number(name, 0);
    }

    long number(String name, long least) throws IOException {
      String text = after(name);
      try {
        long number = Long.parseLong(text);
        if (number >= least) {
          return number;
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw damaged("a number from " + least + " on", name + text);
    }

    double real(String name) throws IOException {
      String text = after(name);
      try {
        return Double.parseDouble(text);
      } catch (NumberFormatException e) {
        throw damaged("a number", name + text);
      }
    }

    boolean flag(String name) throws IOException {
      String text = after(name);
      if (!text.equals("true") && !text.equals("false")) {
        throw damaged("true or false", name + text);
      }
      return text.equals("true");
    }

    IllegalArgumentException damaged(String expected, Object got) {
      return new IllegalArgumentException(
          "training checkpoint: expected %s, but got '%s'".formatted(expected, got));
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  /** A stream that is not the reader's to close, or to read beyond an end. */
  private static final class Bounded extends InputStream {
    private final InputStream in;
    private long left;

    Bounded(InputStream in, long left) {
      this.in = in;
      this.left = left;
    }

    @Override
    public int read() throws IOException {
      int next = left == 0 ? -1 : in.read();
      left -= next < 0 ? 0 : 1;
      return next;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int read = left == 0 ? -1 : in.read(to, from, (int) Math.min(length, left));
      left -= Math.max(0, read);
      return read;
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(left, in.available());
    }
  }

  /** A stream that is not the writer's to close. */
  private static final class Unclosable extends FilterOutputStream {
    Unclosable(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] from, int at, int length) throws IOException {
      out.write(from, at, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
