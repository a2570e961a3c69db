package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.Log;
import dev.headrace.data.Plural;
import dev.headrace.data.WriterLock;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Duty;
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
    return Traits.PLAIN
        .asKeepingPlace()
        .with(Checkpointing.REPLAY)
        .asNeverFailing()
        .with(Passing.ALL)
        .with(Duty.KEEPS);
  }

  @Override
  public Cursor open(Context context) {
    return new CacheFileCursor(context, this, context.shared(() -> file(context)));
  }

  private CacheFile file(Context context) {
    PlanIdentity plan = context.identity(input);
    Path file = perPlan ? path.resolve(plan.fingerprint() + ".elements") : path;
    if (plan.missing() != null) {
      context.warn(
          "%s: expected functions and values that can be told from others, but %s; so nothing is used again and %s is removed at the end: name what gives the elements, as .map(…).named(\"…\", 1), and raise the version when it changes"
              .formatted(context.path(), plan.missing(), file));
    }
    return new CacheFile(input, plan, file, context.drawsBefore());
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
     * nothing else is writing it. Which of the two is settled when the pass is opened, since others
     * may count from a position that was told before the first pull. Every position tells where the
     * content begins ("from": seeds that were drawn, the order that was met), so that it can be
     * made again where the file is gone, and the digest of the content once that is known.
     *
     * A position of a pass that runs its input has the input's: it goes on there, without writing,
     * whether or not the file is there by then, and the next pass finds or makes the file. Where
     * the input keeps no order, it has the number of elements instead, and goes on from the start:
     * only so the content, which later passes give, comes in the order in which this one gave it.
     *
     * A position of a pass that reads has how many elements were read: if the file is gone, they
     * are made again. What reads is given no failures again, so a pass that runs its input in place
     * of one that read drops them.
     */
    private final CacheFileOp op;
    private final CacheFile store;
    private @Nullable ElementReader reader;
    private @Nullable Cursor source;
    private @Nullable ElementWriter writer;
    private @Nullable WriterLock lock;

    /** Whether something was pulled. */
    private boolean begun;

    /** Whether this pass came to its end. */
    private boolean ended;

    /** Elements without failures that were given. */
    private long position;

    /** Elements that were given, failures included. */
    private long handedOver;

    /** Whether elements before those that this life gives were given by another one. */
    private boolean isResumed;

    private boolean dropsFailures;
    private boolean broken;

    CacheFileCursor(Context context, CacheFileOp op, CacheFile store) {
      super(context);
      this.op = op;
      this.store = store;
      if (!store.isGiven(context)) {
        // A pass that ran before gave failures, and others may count from where it began.
        reader = context.ranBefore().isPresent() ? null : store.find(context);
        source = reader == null ? store.openFromStart(context) : null;
        context.notePass(source != null);
      }
    }

    private void begin() {
      begun = true;
      if (source == null) {
        reader = reader == null ? store.find(context) : reader;
        takeFound();
      }
      if (reader == null) {
        beginWriting();
      }
      store.begins();
    }

    private void takeFound() {
      ElementReader found = reader;
      if (found != null && !store.take(found, context)) {
        closeQuietly(found);
        reader = null;
      }
    }

    private void beginWriting() {
      dropsFailures = store.isGiven(context);
      try {
        lock = WriterLock.tryTake(store.path());
        if (lock == null) {
          context.warn(
              "%s: another pipeline is writing %s; this pass runs without it"
                  .formatted(context.path(), store.path()));
        } else {
          if (source == null) {
            reader = store.find(context); // it may have been finished just before
            takeFound();
          }
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
          "%s: expected to write %s, but after %s and %,d MB got %s; free space or permit it, or keep the cache elsewhere"
              .formatted(
                  op.verb(),
                  store.path().toAbsolutePath(),
                  Plural.of(to == null ? 0 : to.elements(), "element"),
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
          context.asOne(this::begin);
        }
        ElementReader from = reader;
        if (from != null) {
          read(from, out, max);
        } else {
          run(Objects.requireNonNull(source), out, max);
        }
      } catch (IOException | IllegalStateException e) {
        context.asOne(context::checkGoing); // closing makes reading fail, too
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
        handedOver += out.size();
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
      ended = true;
      ElementWriter whole = writer;
      boolean isSame = true;
      if (whole != null) {
        try {
          isSame = store.publish(whole);
        } catch (IOException e) {
          throw cannotWrite(e);
        }
        writer = null;
        unlock();
      }
      store.hasGivenAll();
      context.notePass(false);
      if (!isSame) {
        tellOthersThanBefore();
      }
    }

    private void tellOthersThanBefore() {
      String told =
          "%s: expected to make the same elements again as before, because %s was gone, but got others; a function or source before it does not give the same each time"
              .formatted(context.path(), store.path());
      if (isResumed) {
        throw new IllegalStateException(
            told + ", so this epoch is part of both; begin it again without the checkpoint");
      }
      context.warn(told);
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
    public void start() {
      Cursor input = source;
      if (input != null) {
        input.start();
      }
    }

    @Override
    public void skip(long count) {
      if (!begun) {
        context.asOne(this::begin);
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
      ElementReader found = reader;
      if (!begun && found != null) {
        return State.ofPairs(
            "from", CacheFile.startOf(found), "position", 0L, "cached", found.digest());
      }
      State from = State.lazy(store::start, store.start());
      boolean isLate = from.isLate();
      Cursor input = source;
      if (input == null || dropsFailures || (ended && isLate)) {
        return State.ofPairs("from", from, "position", position, "cached", store.content());
      }
      if (!begun || isLate) {
        return State.skipping(handedOver, State.of("from", from));
      }
      return State.ofPairs(
          "from", from, "input", input.save(), "given", ended, "cached", store.content());
    }

    @Override
    protected void moveTo(State state) {
      State from = state.state("from").settled();
      closeQuietly(source);
      closeQuietly(reader);
      source = null;
      reader = null;
      if (state.has("input")) {
        ended = state.flag("given");
        store.resume(from, ended, state.text("cached"));
        Cursor input = store.openInput(context);
        source = input;
        input.restore(state.state("input"));
        begun = true;
        return;
      }
      if (!state.has("position")) {
        store.resume(from, false, "");
        source = store.openFromStart(context); // of a pass that gives failures
        return;
      }
      long target = state.number("position");
      if (target < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a position of 0 or more for %s, but got %d"
                .formatted(context.path(), target));
      }
      store.resume(from, true, state.text("cached"));
      isResumed = target > 0;
      begin();
      if (reader == null && target > 0) {
        context.warn(
            "%s: making %s again, because %s is not there"
                .formatted(context.path(), Plural.of(target, "cached element"), store.path()));
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
