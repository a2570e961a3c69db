package dev.headrace.runtime;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.State;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cursors of one pass, pulled by the consumer.
 *
 * <p><b>Threading:</b> one consumer; {@link #close} from any thread.
 */
public final class OpenPass implements AutoCloseable {
  private static final long LONG_WAIT_NS = 1_000_000;

  private final Engine engine;
  private final Pass pass;
  private final Cursor last;
  private final ChunkPacer pacer = new ChunkPacer();

  /** Let go at the first pull, because a late state keeps alive what it needs to be told. */
  private @Nullable State start;

  private State before;

  OpenPass(Engine engine, Pass pass, Cursor last) {
    this.engine = engine;
    this.pass = pass;
    this.last = last;
    this.before = last.save();
    this.start = before;
  }

  /** The position before the first element. */
  public State start() {
    return Objects.requireNonNull(start, "the pass has begun");
  }

  /** Puts a fresh pass at a saved position. */
  public void restore(State state) {
    pass.interruption().pullBegins(Thread.currentThread());
    before = state;
    engine.consumerWaits(true);
    try {
      last.restore(state);
    } finally {
      engine.consumerWaits(false);
      pass.interruption().pullEnds();
    }
  }

  /** Pulls the next chunk, which is empty at the end; returns how long it took. */
  public long fill(Chunk out, int most) {
    pass.interruption().pullBegins(Thread.currentThread());
    before = last.save();
    start = null;
    engine.consumerWaits(true);
    long start = engine.settings().clock().nanoTime();
    try {
      last.fill(out, Math.min(most, pacer.length()));
    } finally {
      engine.consumerWaits(false);
      pass.interruption().pullEnds();
      engine.sayIfNobodyElseDoes();
    }
    long ns = engine.settings().clock().nanoTime() - start;
    pass.interruption().pullSucceeded();
    engine.progressed();
    if (out.isEmpty()) {
      engine.memory().passEnded();
    } else {
      engine.memory().delivered(out.chargedBytes());
    }
    pacer.observe(out.size(), ns);
    if (ns > LONG_WAIT_NS) {
      Events.waited(engine.name(), "consumer", ns);
    }
    return ns;
  }

  /** The position before the chunk that was pulled last. */
  public State before() {
    return before;
  }

  /** The position after the chunk that was pulled last. */
  public State after() {
    return last.save();
  }

  /** Starts reading ahead, where the plan ends in a stage. */
  public void warmUp() {
    if (last.readingAhead() instanceof Stage stage) {
      stage.start();
    }
  }

  /** Whether the background has read all of this pass. */
  public boolean hasReadAll() {
    return last.readingAhead() instanceof Stage stage && stage.hasReadAll();
  }

  /** Makes everyone who runs or waits in this pass stop; {@link #close} is still to be called. */
  public void cancel() {
    pass.close();
  }

  @Override
  public void close() {
    pass.close();
    last.close();
  }
}
