package dev.headrace;

import dev.headrace.data.Lease;
import dev.headrace.data.Log;
import dev.headrace.op.CacheFileOp;
import dev.headrace.optimize.Optimised;
import dev.headrace.optimize.Optimizer;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Finding;
import dev.headrace.profile.Linter;
import dev.headrace.profile.PipelineStats;
import dev.headrace.profile.SpilledFindings;
import dev.headrace.runtime.Engine;
import dev.headrace.runtime.OpenPass;
import dev.headrace.runtime.PlanShape;
import dev.headrace.runtime.Recorder;
import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Causes;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Failure;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Op;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.tune.Tuned;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An opened dataset: it owns the threads, the memory and everything that outlives one epoch.
 *
 * <p>Each {@link #iterator()} starts the next epoch; the first one after opening with a checkpoint
 * goes on where the checkpoint was taken. An element is the consumer's until the next one is asked
 * for; {@link #keep} makes it the caller's for longer.
 *
 * <p><b>Threading:</b> one consumer thread; {@link #close()} may be called by any, and {@link
 * #stats()} too.
 */
public final class Pipeline<T> implements Iterable<T>, AutoCloseable {
  private static final String GIVEN_BACK = "next() was called";
  private static final System.Logger LOG = Log.named("headrace.pipeline");
  private static final List<Watcher> WATCHERS = new CopyOnWriteArrayList<>();
  private static final VarHandle ELEMENTS;

  static {
    try {
      ELEMENTS = MethodHandles.lookup().findVarHandle(Pipeline.class, "elements", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Op op;
  private final Options options;
  private final Optimised optimised;
  private final Engine engine;
  private final PlanIdentity identity;
  private final OpenParts parts;
  private final Cleaner.Cleanable forgotten;
  private final Chunk chunk;

  private volatile long epoch = -1;
  private @Nullable State resumeAt;
  private int index;

  /**
   * How many elements of the chunk may be delivered: none while it is filled, or once it failed.
   */
  private int end;

  /** What {@link #elements} was when the chunk began, less what was passed without being one. */
  private long elementsBefore;

  private boolean ended;

  /** Where an interrupt stopped the pipeline, if its cursors do not stand there any more. */
  private @Nullable State goBackTo;

  private @Nullable PipelineException terminal;

  private final OneAtATime consumer;
  private volatile @Nullable Splitter<T> splitter;
  private volatile long firstAskedNs;

  /** Written by the consumer alone, and by {@link #ELEMENTS}, because a fence costs more. */
  private long elements;

  private volatile long failures;
  private volatile long waitNs;

  Pipeline(Op op, Options options, @Nullable Checkpoint checkpoint, Site openedAt) {
    this.op = op;
    this.options = options;
    Map<Object, FunctionIdentity> functions = PlanIdentity.functionsOf(op);
    this.identity = PlanIdentity.of(op, options.isDeterministic(), functions);
    if (options.requiresCheckpoint()) {
      Checkpoint.refuseIfImpossible(op);
    }
    if (checkpoint != null) {
      checkpoint.checkFits(identity);
      this.epoch = checkpoint.epoch() - 1;
      this.resumeAt = checkpoint.state();
    }
    this.optimised = Optimizer.optimise(op, options.goals());
    SettingNames.warnOfUnknown();
    this.engine =
        new Engine(
            optimised.plan(),
            optimised.origins(),
            options.settings(),
            found(),
            () -> keepsFiles(op) ? PlanIdentity.readAgain(functions) : functions);
    if (checkpoint != null) {
      engine.draws().restore(checkpoint.drawn());
    }
    this.parts = new OpenParts(engine, openedAt);
    this.chunk = parts.chunk;
    this.consumer = new OneAtATime(parts);
    this.forgotten = parts.closeWithout(this);
    showToWatchers(Watcher::opened);
  }

  /** Whether elements are kept in files, which must not be under values they were not made with. */
  private static boolean keepsFiles(Op op) {
    return op instanceof CacheFileOp || op.anyInput(Pipeline::keepsFiles);
  }

  /** What an earlier run found good, where there was one of the same plan. */
  private Map<String, Tuned> found() {
    Tuning given = options.tuning();
    Path folder = options.tuningFolder();
    if (given == null && folder != null && identity.missing() != null) {
      LOG.log(
          Level.WARNING,
          "what the tuner finds is not kept, because it would not be known for which plan: "
              + identity.missing()
              + "; name what gives the elements: .named(\"…\", 1)");
    } else if (given == null && folder != null) {
      Path file = folder.resolve(tuningFile());
      try {
        given = Files.exists(file) ? Tuning.load(file) : null;
      } catch (IOException | IllegalArgumentException e) {
        LOG.log(Level.WARNING, file + " is not used, the tuner starts again: " + e.getMessage());
      }
    }
    if (given == null) {
      return Map.of();
    }
    if (!given.fingerprint().equals(identity.fingerprint())) {
      LOG.log(
          Level.WARNING,
          "the tuning is not used, because it was found for another plan: expected {0}, but got"
              + " {1}",
          identity.fingerprint(),
          given.fingerprint());
      return Map.of();
    }
    return given.values();
  }

  private String tuningFile() {
    return identity.fingerprint() + ".tuning";
  }

  /** What the tuner has found good so far, for {@link Options#tuning} of the next run. */
  public Tuning tuning() {
    Map<String, String> words = new HashMap<>();
    engine.nodes().forEach(node -> words.put(node.key(), node.op().word()));
    return Tuning.of(identity.fingerprint(), engine.tuned(), words);
  }

  private void rememberTuning() {
    Path folder = options.tuningFolder();
    if (folder != null && identity.missing() == null) {
      try {
        Files.createDirectories(folder);
        tuning().save(folder.resolve(tuningFile()));
      } catch (IOException e) {
        LOG.log(Level.WARNING, "what the tuner found could not be kept: " + e);
      }
    }
  }

  /**
   * Starts the next epoch; elements of the current one that were not asked for are dropped.
   *
   * <p>{@code next()} throws a {@link PipelineException} for an element that failed, once, and goes
   * on with the next element when called again.
   */
  @Override
  public Iterator<T> iterator() {
    enter();
    checkOpen();
    giveBackDelivered();
    if (terminal == null) {
      beginEpoch();
    }
    long mine = epoch;
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return mine == epoch && Pipeline.this.hasNext();
      }

      @Override
      public T next() {
        if (mine != epoch) {
          throw new NoSuchElementException(
              "epoch " + mine + " is over: iterator() has started epoch " + epoch);
        }
        return Pipeline.this.next();
      }
    };
  }

  private void beginEpoch() {
    long before = epoch;
    engine.recorder().starts();
    consumer.lockCursors();
    try {
      OpenPass prepared = parts.nextPass;
      parts.nextPass = null;
      startEpoch(epoch + 1, prepared, resumeAt);
      resumeAt = null;
    } catch (Cancelled e) {
      epoch = before; // calling iterator() again resumes the same epoch
      closePassAfter(e);
      throw stopped(e);
    } catch (State.InvalidState e) {
      epoch = before;
      closePassAfter(e);
      throw e;
    } catch (Throwable e) {
      epoch = before;
      closePassAfter(e);
      throw new PipelineException(op.word(), null, before + 1, e, false);
    } finally {
      doneRunning();
    }
  }

  /** Which epoch this pipeline is in, from 0; −1 before the first. */
  public long epoch() {
    return epoch;
  }

  private void startEpoch(long number, @Nullable OpenPass prepared, @Nullable State at) {
    closePass();
    epoch = number;
    ended = false;
    OpenPass opened = prepared == null ? engine.open(number, Long.MAX_VALUE) : prepared;
    parts.pass = opened;
    if (at != null) {
      opened.restore(at);
    }
    goBackTo = null;
  }

  private boolean hasNext() {
    if (hasAtHand()) {
      return true;
    }
    enter();
    return comesToNext();
  }

  private void enter() {
    if (!consumer.isUser()) {
      consumer.takeOver(this::countsAgree);
    }
  }

  /** Whether as many elements of the chunk were counted as were passed. */
  private boolean countsAgree() {
    return elements - elementsBefore == index;
  }

  private void restartChunk() {
    index = 0;
    end = 0;
    elementsBefore = elements;
  }

  private boolean hasAtHand() {
    return index < end && !chunk.isFailure(index) && !parts.closed;
  }

  /** Goes to the next element that is delivered; false at the end. */
  private boolean comesToNext() {
    checkOpen();
    while (terminal == null && !ended) {
      while (index < end && chunk.isFailure(index) && putAside()) {
        index++;
        elementsBefore--; // passed, but no element
      }
      if (index < end) {
        return true;
      }
      refill();
    }
    return terminal != null;
  }

  /** Whether the failure that is next was not to be thrown, and was put aside. */
  private boolean putAside() {
    Failure failure = (Failure) chunk.item(index);
    Failure.AsidePlace place = failure.place();
    if (place == null || terminal != null) {
      return false;
    }
    try {
      place.put(failure, epoch);
    } catch (IOException e) {
      terminal = new PipelineException(failure.path(), null, epoch, e, true);
      end = 0;
    }
    return true;
  }

  private T next() {
    enter();
    giveBackDelivered();
    if (!hasAtHand() && !comesToNext()) {
      throw new NoSuchElementException("epoch " + epoch + " has no more elements");
    }
    if (terminal != null) {
      throw terminal;
    }
    int at = index++;
    if (chunk.isFailure(at)) {
      elementsBefore--; // passed, but no element
      throw failed((Failure) chunk.item(at));
    }
    ELEMENTS.setOpaque(this, elements + 1);
    Object element = chunk.item(at);
    parts.delivered = element;
    @SuppressWarnings("unchecked") // the dataset's type parameter promises it
    T typed = (T) element;
    return typed;
  }

  private void refill() {
    consumer.lockCursors();
    try {
      checkOpen();
      pull();
    } finally {
      doneRunning();
      Reference.reachabilityFence(this); // not forgotten while it is asked
    }
  }

  /** Lets go of the cursors; if the pipeline was closed meanwhile, it is for us to clean up. */
  private void doneRunning() {
    boolean outermost = parts.running.getHoldCount() == 1;
    if (parts.closed && outermost) {
      parts.cleanUp(this::tellOfClosing);
    }
    parts.running.unlock();
  }

  private void pull() {
    if (goBackTo != null) {
      goBack(goBackTo);
    }
    OpenPass current = parts.pass;
    if (current == null) {
      throw new IllegalStateException("pipeline: call iterator() first");
    }
    if (firstAskedNs == 0) {
      firstAskedNs = engine.nanoTime();
    }
    consumer.check(this::countsAgree);
    if (parts.delivered != null) {
      chunk.chargeShare(parts.charged, 1); // it is the consumer's until next() is called
    }
    restartChunk();
    Recorder recorder = engine.recorder();
    recorder.pullBegins(epoch, elements);
    try {
      waitNs = waitNs + current.fill(chunk, Integer.MAX_VALUE); // one writer
      recorder.pullEnds(chunk.size());
    } catch (Cancelled e) {
      recorder.pullEnds(0);
      Leases.giveBack(chunk, "the pipeline was interrupted");
      chunk.clear();
      goBackTo = e.isPlaceKept() ? null : current.before();
      throw stopped(e);
    } catch (Throwable e) {
      engine.leaveLocks();
      recorder.pullEnds(0);
      Leases.giveBack(chunk, "the pipeline failed");
      chunk.clear();
      terminal = new PipelineException(op.word(), null, epoch, e, true);
      return;
    }
    end = chunk.size();
    ended = end == 0;
    if (ended) {
      parts.charged.letGo();
    }
    prefetchNextEpoch(current);
  }

  /** What to throw when the pipeline stopped in the middle: it was closed, or the user's wish. */
  private RuntimeException stopped(Cancelled cause) {
    if (parts.closed) {
      return new IllegalStateException("pipeline: it was closed while an element was asked for");
    }
    return new PipelineInterruptedException(String.valueOf(cause.getMessage()));
  }

  /** Goes on after an interruption that cursors could not stop at: back to what was delivered. */
  private void goBack(State delivered) {
    try {
      startEpoch(epoch, null, delivered);
    } catch (Cancelled e) {
      throw stopped(e);
    }
  }

  /** Starts the next epoch's reading while the end of this one is still being consumed. */
  private void prefetchNextEpoch(OpenPass current) {
    if (parts.nextPass == null && epoch + 1 < options.epochs() && current.hasReadAll()) {
      startOfNextEpoch();
      Objects.requireNonNull(parts.nextPass).warmUp();
    }
  }

  private PipelineException failed(Failure failure) {
    failures = failures + 1; // one writer
    PipelineException exception =
        new PipelineException(
            failure.path(),
            failure.id() == null ? null : failure.id().toString(),
            epoch,
            failure.cause(),
            failure.terminal());
    failure.others().forEach(exception::addSuppressed); // to ours, never to the user's
    if (failure.terminal()) {
      terminal = exception;
      end = 0;
    }
    return exception;
  }

  private void giveBackDelivered() {
    Object element = parts.delivered;
    if (element != null) {
      parts.delivered = null;
      parts.charged.letGo();
      if (engine.memory().mayBeLent()) {
        Leases.giveBack(element, GIVEN_BACK);
      }
    }
  }

  /** Makes an element the caller's until what is returned is closed. */
  public Kept<T> keep(T element) {
    List<Lease> leases = new ArrayList<>();
    if (element != null) {
      Lease.forEachLease(element, lease -> leases.add(lease.keep()));
    }
    if (parts.delivered == element) {
      parts.delivered = null;
      parts.charged.letGo();
    }
    return new Kept<>(element, leases);
  }

  /**
   * Deals the elements out to {@code count} consumers, each with a thread of its own: element
   * <i>i</i> goes to share <i>i</i> mod {@code count}, whatever their pace. From then on the
   * pipeline itself must not be iterated. For the same number of elements in every share, drop or
   * pad with {@code shardByRank} or {@code take} before.
   *
   * <p>{@link #checkpoint()} works while all shares have been given the same elements, that is
   * between the steps of consumers that wait for each other.
   */
  public List<Share<T>> split(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("split: expected at least 1 consumer, but got " + count);
    }
    checkOpen();
    if (splitter != null) {
      throw new IllegalStateException(
          "split: expected to be called once, but it was called before");
    }
    Splitter<T> dealer = new Splitter<>(this, count);
    splitter = dealer;
    List<Share<T>> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shares.add(new Share<>(dealer, i));
    }
    return List.copyOf(shares);
  }

  boolean isClosed() {
    return parts.closed;
  }

  private Checkpoint checkpointAt(long itsEpoch, State state) {
    return new Checkpoint(itsEpoch, state, engine.draws().toNumbers(), identity);
  }

  /** What has been delivered so far, as a position that {@link Dataset#open(Checkpoint)} takes. */
  public Checkpoint checkpoint() {
    checkOpen();
    if (splitter != null) {
      splitter.checkLevel();
    }
    Checkpoint.refuseIfImpossible(op);
    OpenPass current = parts.pass;
    State resume = resumeAt;
    if (resume != null) {
      return checkpointAt(epoch + 1, resume);
    }
    if (terminal != null && current != null) {
      return checkpointAt(epoch, State.skipping(Math.max(0, index - 1), current.before()));
    }
    if (goBackTo != null) {
      return checkpointAt(epoch, goBackTo);
    }
    if (current == null || ended) {
      return checkpointAt(epoch + 1, startOfNextEpoch());
    }
    if (index == chunk.size() && !chunk.isEmpty()) {
      return checkpointAt(epoch, current.after());
    }
    return checkpointAt(epoch, State.skipping(index, current.before()));
  }

  /** Its operators know what is left of earlier epochs: a filled cache, a seed that was drawn. */
  private State startOfNextEpoch() {
    OpenPass next = parts.nextPass;
    if (next == null) {
      next = engine.open(epoch + 1, Long.MAX_VALUE);
      parts.nextPass = next;
    }
    return next.start();
  }

  /** The plan, how the engine runs it and why, and what it has found out by running it so far. */
  public String explain() {
    List<String> remarks = engine.remarks();
    return Explanation.of(PlanShape.of(op), optimised)
        + (remarks.isEmpty() ? "" : "\nfound while running:\n  " + String.join("\n  ", remarks));
  }

  /** What has been done so far, operator by operator. */
  public PipelineStats stats() {
    return new PipelineStats(
        epoch,
        delivered(),
        failures,
        new PipelineStats.Time(firstAskedNs == 0 ? 0 : engine.nanoTime() - firstAskedNs, waitNs),
        new PipelineStats.Memory(
            engine.memory().heap().usedBytes(),
            engine.memory().heap().peakBytes(),
            engine.memory().nativeAccount().usedBytes(),
            engine.memory().nativeAccount().peakBytes(),
            engine.memory().together().peakBytes()),
        engine.opStats(),
        engine.knobChanges());
  }

  /**
   * Why this pipeline is as fast as it is, and what to change: from what was measured so far, once
   * it has run for a second or more. May be asked by any thread, and after closing, too.
   */
  public Diagnosis diagnose() {
    Diagnosis ofWhatRan =
        Diagnosis.of(engine.measurements(epoch, delivered()), foundBesides(), explain())
            .withDecisions(engine.knobChanges());
    return Translation.toWritten(ofWhatRan, optimised);
  }

  /** What is on disk because it does not fit into memory, and what the linter says of the plan. */
  private List<Finding> foundBesides() {
    List<Finding> findings =
        new ArrayList<>(SpilledFindings.of(engine.opStats(), engine.memory().heap().limitBytes()));
    findings.addAll(Linter.lint(op, options.lintSettings()));
    return findings;
  }

  /**
   * Has every pipeline of this process shown to {@code listener} just before it is closed, from now
   * until what is returned is closed; for programs that watch other programs.
   */
  public static AutoCloseable watchAll(Consumer<? super Pipeline<?>> listener) {
    return watchAll(pipeline -> {}, listener);
  }

  /** As {@link #watchAll(Consumer)}, and has each shown to {@code opened} once it is open, too. */
  public static AutoCloseable watchAll(
      Consumer<? super Pipeline<?>> opened, Consumer<? super Pipeline<?>> closing) {
    Watcher watcher = new Watcher(opened, closing);
    WATCHERS.add(watcher);
    return () -> WATCHERS.remove(watcher);
  }

  /** Somebody who is shown pipelines. */
  private record Watcher(
      Consumer<? super Pipeline<?>> opened, Consumer<? super Pipeline<?>> closing) {}

  private void showToWatchers(Function<Watcher, Consumer<? super Pipeline<?>>> moment) {
    for (Watcher watcher : WATCHERS) {
      try {
        moment.apply(watcher).accept(this);
      } catch (Throwable e) { // a watcher must never stop what it watches
        LOG.log(System.Logger.Level.WARNING, "a watcher of pipelines failed", e);
      }
    }
  }

  private void checkOpen() {
    if (parts.closed) {
      throw new IllegalStateException("pipeline: expected it to be open, but it was closed");
    }
  }

  private void closePassAfter(Throwable failure) {
    try {
      closePass();
    } catch (Throwable e) {
      Causes.suppress(failure, e);
    }
  }

  private void closePass() {
    OpenPass old = parts.pass;
    parts.pass = null;
    if (old != null) {
      for (int i = index; i < chunk.size(); i++) {
        Leases.giveBack(chunk.item(i), "the epoch was left");
      }
      old.close();
    }
    chunk.clear();
    restartChunk();
  }

  private long delivered() {
    return (long) ELEMENTS.getOpaque(this);
  }

  /**
   * Ends all threads and gives all memory back; promptly, whatever the pipeline is doing, and
   * within {@link Options#closeGrace} in all. Where the consumer's own thread is inside a function
   * of the user, that thread cleans up when it returns. May be called by any thread, also by a
   * function that the pipeline runs: then it returns at once, and closing goes on behind it.
   */
  @Override
  public void close() {
    parts.cancel();
    Splitter<T> dealer = splitter;
    if (dealer != null) {
      dealer.close();
    }
    if (parts.running.isHeldByCurrentThread()) {
      return; // called by a function that this thread runs, and that cleans up afterwards
    }
    if (engine.isOnWorker()) {
      parts.elsewhere(this::close); // which waits for this worker
      return;
    }
    parts.close(this::tellOfClosing);
    forgotten.clean(); // there is nothing left to do if it is
  }

  private void tellOfClosing() {
    engine.recorder().finish();
    rememberTuning();
    showToWatchers(Watcher::closing);
  }
}
