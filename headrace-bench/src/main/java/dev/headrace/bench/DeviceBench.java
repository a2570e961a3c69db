package dev.headrace.bench;

import dev.headrace.spi.OpCounters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a device brings: how fast copies are beside the bus alone, whether they disappear behind
 * steps, JPEGs decoded there, a million batches, errors.
 *
 * <p>Without a GPU every part says in a note why it was left out. A simulated device shows that the
 * parts work, and nothing about speed.
 */
public final class DeviceBench implements Scenario {
  /** What is measured. */
  public enum Part {
    /** Copies beside raw copies. */
    A("copies"),
    /** Steps on batches that are prefetched, beside steps on batches that lie there. */
    B("overlap"),
    /** JPEGs in TFRecords to batches to train on. */
    C("photographs"),
    /** Memory over a million batches. */
    D("a million batches"),
    /** Errors of the device. */
    E("errors");

    final String words;

    Part(String words) {
      this.words = words;
    }
  }

  /** What a simulated device can show. */
  private static final Set<Part> SIMULATED = EnumSet.of(Part.A, Part.B, Part.D);

  /**
   * How much is measured.
   *
   * @param batch images in a batch that is copied
   * @param seconds of one measurement
   * @param batches that must leave memory as it is
   */
  record Size(int batch, double seconds, long batches, DevicePhotos.Size photos) {
    static final Size USUAL = new Size(128, 0.4, 1_000_000, DevicePhotos.Size.USUAL);

    /** So little that it is over soon: a simulated device has nothing to tell. */
    static final Size SIMULATED =
        new Size(8, 0.05, 20_000, new DevicePhotos.Size(4, 40, 4, 0.05, 0.05));
  }

  private final Set<Part> parts;
  private final boolean simulated;
  private final Size size;
  private final List<String> notes = new ArrayList<>();

  DeviceBench() {
    this(EnumSet.allOf(Part.class), false);
  }

  /**
   * The scenario in part.
   *
   * @param parts none for all, or all that a simulated device can show
   */
  public DeviceBench(Set<Part> parts, boolean simulated) {
    this(parts, simulated, simulated ? Size.SIMULATED : Size.USUAL);
  }

  DeviceBench(Set<Part> parts, boolean simulated, Size size) {
    this.parts = !parts.isEmpty() ? parts : simulated ? SIMULATED : EnumSet.allOf(Part.class);
    this.simulated = simulated;
    this.size = size;
  }

  @Override
  public String name() {
    return "device";
  }

  @Override
  public String summary() {
    return "a GPU: copies, overlap, JPEGs decoded there, a million batches, errors; about 7"
        + " minutes";
  }

  @Override
  public List<String> notes() {
    return List.copyOf(notes);
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    notes.clear();
    List<Row> rows = new ArrayList<>();
    for (Part part : Part.values()) {
      if (parts.contains(part)) {
        List<Row> measured = rows(part, setup);
        measured.forEach(row -> setup.progress().accept(row.line()));
        rows.addAll(measured);
      }
    }
    return rows;
  }

  private List<Row> rows(Part part, Setup setup) throws IOException, InterruptedException {
    // Each part has a device of its own, so that none leaves anything to the next.
    try (DeviceSubject subject = DeviceSubject.open(simulated)) {
      return measure(part, subject, setup);
    } catch (DeviceSubject.NoDevice e) {
      say("%s. %s: left out: %s".formatted(part, part.words, e.getMessage()), setup);
      return List.of();
    } catch (RuntimeException e) {
      // Said, and the other parts go on: a machine with a GPU may not be there again soon.
      say("%s. %s: failed: %s".formatted(part, part.words, e), setup);
      return List.of(
          Row.alone(part + ". " + part.words, "failures", Interval.of(1), Bar.atMost(0)));
    }
  }

  private void say(String line, Setup setup) {
    setup.progress().accept(line);
    notes.add(line);
  }

  private List<Row> measure(Part part, DeviceSubject subject, Setup setup)
      throws IOException, InterruptedException {
    return switch (part) {
      case A -> new DeviceCopies(subject, setup, size.batch, size.seconds, notes).measure();
      case B -> new DeviceOverlap(subject, setup, size.batch, size.seconds, notes).measure();
      case C -> new DevicePhotos(subject, setup, size.photos, notes).measure();
      case D -> DeviceLeaks.measure(simulated, size.batches, setup, notes);
      case E -> DeviceErrors.measure(simulated, setup, notes);
    };
  }

  /** What an operator that copies says of itself. */
  static String described(String name, OpCounters.@Nullable Transfer transfers) {
    if (transfers == null) {
      return name + ": nothing was copied.";
    }
    return String.format(
        Locale.ROOT,
        "%s: %s, %.1f GB in %,d %s, %s memory, %.1f GB/s while copying; %.1f %% of copying and"
            + " computing there went on beside the consumer's work; %.0f MB of the device's memory"
            + " in use.",
        name,
        transfers.device().name(),
        transfers.copies().bytes() / 1e9,
        transfers.copies().count(),
        transfers.copies().count() == 1 ? "copy" : "copies",
        transfers.isPinned() ? "pinned" : "PAGEABLE",
        transfers.bytesPerSecond() / 1e9,
        100 * transfers.overlap(),
        transfers.device().usedBytes() / 1e6);
  }
}
