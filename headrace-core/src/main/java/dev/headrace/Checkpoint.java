package dev.headrace;

import dev.headrace.data.Log;
import dev.headrace.data.PartialFile;
import dev.headrace.runtime.CheckpointText;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Op;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a pipeline had delivered: small, readable, versioned.
 *
 * <p>It describes a position in the user's plan, never what was read ahead, so it can be resumed in
 * another process with another parallelism. Taking one costs microseconds; writing it down is done
 * when {@link #toString} or {@link #save} asks.
 */
public final class Checkpoint {
  private static final System.Logger LOG = Log.named("headrace.checkpoint");

  private final long epoch;
  private final State state;

  /** The seeds that were drawn: {@link dev.headrace.spi.Draws#toNumbers}. */
  private final long[] drawn;

  private final List<String> structure;
  private final List<String> functions;

  Checkpoint(long epoch, State state, long[] drawn, PlanIdentity plan) {
    this(epoch, state, drawn, plan.structure(), plan.functions());
  }

  private Checkpoint(
      long epoch, State state, long[] drawn, List<String> structure, List<String> functions) {
    this.epoch = epoch;
    this.state = state;
    this.drawn = drawn;
    this.structure = structure;
    this.functions = functions;
  }

  /** Reads a checkpoint that {@link #toString} wrote. */
  public static Checkpoint parse(String text) {
    CheckpointText.Content content = CheckpointText.read(text);
    return new Checkpoint(
        content.epoch(),
        content.state(),
        content.drawn(),
        content.structure(),
        content.functions());
  }

  public static Checkpoint load(Path file) throws IOException {
    try {
      return parse(Files.readString(file));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    } catch (java.nio.charset.CharacterCodingException e) {
      throw new IllegalArgumentException(
          file + ": expected a checkpoint, but the file is not text", e);
    }
  }

  /** Writes the checkpoint so that a crash leaves either the old file or the new one. */
  public void save(Path file) throws IOException {
    PartialFile.write(file, toString().getBytes(StandardCharsets.UTF_8));
  }

  public long epoch() {
    return epoch;
  }

  State state() {
    return state;
  }

  long[] drawn() {
    return drawn;
  }

  /** Refuses a plan of another structure; warns of functions that changed. */
  void checkFits(PlanIdentity plan) {
    if (!plan.structure().equals(structure)) {
      throw new IllegalArgumentException(
          "checkpoint: expected the plan it was taken from, but got another one:\n"
              + difference(plan.structure()));
    }
    if (!plan.functions().equals(functions)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "checkpoint: functions changed since it was taken; elements from here on may differ: was "
              + functions
              + ", is "
              + plan.functions());
    }
  }

  private String difference(List<String> now) {
    StringBuilder text = new StringBuilder();
    int lines = Math.max(now.size(), structure.size());
    for (int i = 0; i < lines; i++) {
      String was = i < structure.size() ? structure.get(i) : "";
      String is = i < now.size() ? now.get(i) : "";
      if (was.equals(is)) {
        text.append("    ").append(is).append('\n');
      } else {
        text.append(was.isEmpty() ? "" : "  - " + was + "   (checkpoint)\n");
        text.append(is.isEmpty() ? "" : "  + " + is + "   (this plan)\n");
      }
    }
    return text.toString();
  }

  static void refuseIfImpossible(Op op) {
    if (op.traits().checkpointing() == Checkpointing.NONE) {
      throw new IllegalStateException(
          "checkpoint: expected operators whose position can be told, but "
              + op.word()
              + " ("
              + op.site()
              + ") has none; declare its source repeatable");
    }
    for (Op input : op.inputs()) {
      refuseIfImpossible(input);
    }
  }

  /** The checkpoint as text. */
  @Override
  public String toString() {
    return CheckpointText.write(
        new CheckpointText.Content(epoch, structure, functions, drawn, state));
  }
}
