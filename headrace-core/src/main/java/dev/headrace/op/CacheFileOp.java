package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.Log;
import dev.headrace.data.WriterLock;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ElementReader;
import dev.headrace.spi.ElementWriter;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Id;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements of the first whole pass in a file and gives later passes from there, also
 * those of other pipelines and processes.
 *
 * <p>A file is used only if it was made by the same plan from the same files; otherwise it is made
 * again. Failures are not kept; they are delivered in the pass that fills.
 *
 * @param path the file, or the folder of one file for each plan
 * @param perPlan whether each plan has a file of its own, named by its fingerprint
 */
public record CacheFileOp(
    Op input, @Knob Path path, boolean perPlan, @Knob Compression compression, Site site)
    implements Op {

  public CacheFileOp {
    String word = perPlan ? "snapshot" : "cache";
    Objects.requireNonNull(path, word + ": expected a path, but got null");
    Objects.requireNonNull(compression, word + ": expected a compression, but got null");
    if (input.cardinality() == INFINITE) {
      throw new IllegalArgumentException(
          word
              + ": expected a dataset that ends, but got one that does not; put repeat() after "
              + word);
    }
  }

  @Override
  public String word() {
    return perPlan ? "snapshot" : "cacheFile";
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.with(Checkpointing.REPLAY).asNeverFailing().with(Passing.ALL);
  }

  @Override
  public Cursor open(Context context) {
    return new CacheFileCursor(context, this, context.shared(() -> file(context)));
  }

  private CacheFile file(Context context) {
    PlanIdentity plan = context.identity(input);
    Path file = perPlan ? path.resolve(plan.fingerprint() + ".elements") : path;
    return new CacheFile(input, plan, file);
  }

  /** The word the user wrote. */
  private String verb() {
    return perPlan ? "snapshot" : "cache";
  }

  private static void closeQuietly(@Nullable AutoCloseable closeable) {
    try {
      if (closeable != null) {
        closeable.close();
      }
    } catch (Exception e) {
      Log.named("headrace.cache").log(System.Logger.Level.WARNING, "close: " + e);
    }
  }

  private static final class CacheFileCursor extends Cursor {
    /*
     * A pass reads the file; or it runs its input, and writes the file if it began at the start and
     * nobody else is writing it. A checkpoint of a pass that runs its input has the input's
     * position: it goes on there, without writing, whether or not the file is there by then, and
     * the next pass finds or makes the file. A checkpoint of a pass that reads has how many
     * elements were read: if the file is gone, they are made again. What reads is given no failures
     * again, so a pass that runs its input in place of one that read drops them.
     */
    private final CacheFileOp op;
    private final CacheFile store;
    private @Nullable ElementReader reader;
    private @Nullable Cursor source;
    private @Nullable ElementWriter writer;
    private @Nullable WriterLock lock;

    /** Whether it was decided to read or to run the input, which the first pull does. */
    private boolean begun;

    /** Elements without failures that were given. */
    private long position;

    private boolean dropsFailures;
    private boolean broken;

    /*
     * Whether a position of this pass may have been told from which others count on, failures
     * included: then it runs its input, even if somebody finishes the file meanwhile.
     */
    private boolean mustRun;

    CacheFileCursor(Context context, CacheFileOp op, CacheFile store) {
      super(context);
      this.op = op;
      this.store = store;
      if (!store.isGiven() && !Files.exists(store.path())) {
        source = store.openFromStart(context); // whose start a checkpoint tells from now on
        mustRun = true;
      }
    }

    private void begin() {
      begun = true;
      reader = mustRun ? null : store.read(context);
      if (reader == null) {
        beginWriting();
      }
      if (reader != null) {
        closeQuietly(source);
        source = null;
      }
      store.begins();
    }

    private void beginWriting() {
      dropsFailures = store.isGiven();
      try {
        lock = WriterLock.tryTake(store.path());
        if (lock == null) {
          context.warn(
              "%s: another pipeline is writing %s; this pass runs without it"
                  .formatted(context.path(), store.path()));
        } else {
          reader = mustRun ? null : store.read(context); // it may have been finished just before
          if (reader != null) {
            unlock();
            return;
          }
          writer = new ElementWriter(lock, op.compression, store.codec());
        }
      } catch (IOException e) {
        throw cannotWrite(e);
      }
      source = source == null ? store.openFromStart(context) : source;
    }

    private IllegalStateException cannotWrite(IOException e) {
      ElementWriter to = writer;
      return new IllegalStateException(
          "%s: expected to write %s, but after %,d elements and %,d MB got %s; free space or permit it, or keep the cache elsewhere"
              .formatted(
                  op.verb(),
                  store.path().toAbsolutePath(),
                  to == null ? 0 : to.elements(),
                  to == null ? 0 : to.bytes() >> 20,
                  e),
          e);
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (broken) {
        return;
      }
      try {
        if (!begun) {
          begin();
        }
        ElementReader from = reader;
        if (from != null) {
          read(from, out, max);
        } else {
          run(Objects.requireNonNull(source), out, max);
        }
      } catch (IOException | IllegalStateException e) {
        context.checkGoing();
        broken = true;
        out.clear();
        out.add(new Failure(context.path(), null, e, true), context.prefix(), 0);
        return;
      }
      if (context.prefix() != null) {
        out.reparent(this::underPrefix);
      }
    }

    private @Nullable Id underPrefix(@Nullable Id parent) {
      Id id = context.prefix();
      for (long ordinal : Id.path(parent)) {
        id = new Id(id, ordinal);
      }
      return id;
    }

    private void read(ElementReader from, Chunk out, int max) throws IOException {
      try {
        from.read(out, max);
      } catch (IOException e) {
        throw new IOException(e.getMessage() + "; delete the file to have it made again", e);
      }
      position = from.position();
    }

    private void run(Cursor input, Chunk out, int max) {
      do {
        input.fill(out, max);
        if (out.isEmpty()) {
          end();
          return;
        }
        if (out.hasTerminalFailure()) {
          abandon(); // what follows a terminal failure is not all there is
        }
        write(out);
        position += out.size() - out.failures();
        if (dropsFailures) {
          out.dropPassingFailures();
        }
      } while (out.isEmpty());
    }

    private void write(Chunk chunk) {
      ElementWriter to = writer;
      if (to == null) {
        return;
      }
      for (int i = 0; i < chunk.size(); i++) {
        if (chunk.isFailure(i)) {
          continue;
        }
        try {
          to.add(chunk, i);
        } catch (IOException e) {
          throw cannotWrite(e);
        } catch (IllegalArgumentException e) {
          throw new IllegalStateException(
              "%s: expected elements that can be written, but element %s cannot be: %s; map it to one that can before, or use cache() in memory"
                  .formatted(op.verb(), chunk.id(i), e.getMessage()),
              e);
        }
      }
    }

    private void end() {
      ElementWriter whole = writer;
      if (whole != null) {
        try {
          store.publish(whole);
        } catch (IOException e) {
          throw cannotWrite(e);
        }
        writer = null;
        unlock();
      }
      store.hasGivenAll();
    }

    private void unlock() {
      closeQuietly(lock);
      lock = null;
    }

    private void abandon() {
      closeQuietly(writer);
      writer = null;
      unlock();
    }

    @Override
    public boolean isReady() {
      Cursor input = source;
      return input == null || input.isReady();
    }

    @Override
    public void skip(long count) {
      if (!begun) {
        begin();
      }
      ElementReader from = reader;
      if (from != null) {
        from.seek(position + Math.min(count, Long.MAX_VALUE - position));
        position = from.position();
      } else {
        super.skip(count);
      }
    }

    @Override
    protected State position() {
      State from = State.lazy(store::start, store.start().isLate());
      if (!begun && !store.isGiven()) {
        return source == null ? State.START : State.of("from", from);
      }
      Cursor input = source;
      if (begun && input != null && !dropsFailures) {
        return State.of("from", from, "input", input.save());
      }
      return State.ofPairs("from", from, "position", position, "content", store.content());
    }

    @Override
    protected void moveTo(State state) {
      State from = state.state("from").settled();
      closeQuietly(source);
      source = null;
      if (state.has("input")) {
        store.resume(from, false, "");
        Cursor input = store.openInput(context);
        source = input;
        input.restore(state.state("input"));
        begun = true;
        return;
      }
      if (!state.has("position")) {
        store.resume(from, false, "");
        source = store.openFromStart(context); // nothing was asked for yet
        mustRun = true;
        return;
      }
      long target = state.number("position");
      if (target < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a position of 0 or more for %s, but got %d"
                .formatted(context.path(), target));
      }
      store.resume(from, true, state.text("content"));
      begin();
      if (reader == null && target > 0) {
        context.warn(
            "%s: making %,d cached elements again, because %s is not there"
                .formatted(context.path(), target, store.path()));
      }
      skip(target);
    }

    @Override
    public void close() {
      closeQuietly(source);
      closeQuietly(reader);
      abandon();
    }
  }
}
