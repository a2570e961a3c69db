package dev.headrace.profile;

import dev.headrace.data.Plural;
import dev.headrace.profile.Model.Limit;
import dev.headrace.profile.Model.LimitKind;
import dev.headrace.profile.Model.Suspect;
import dev.headrace.profile.Verdict.Kind;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Passing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the verdict: what limits a pipeline, in words.
 *
 * <p>It is about the cost, or the buffer, on which the pace depends most in the model; what kind of
 * limit that is, follows from who pays it: one thread, workers, those who share a lock, all cores.
 */
final class Judge {
  /** A consumer that waits less than this has nothing to complain of. */
  static final double HARDLY_WAITS = 0.08;

  private static final double MUCH_GARBAGE = 0.2;
  private static final double BALANCED_WITHIN = 0.12;
  private static final double STARTS_LONGEST = 0.6;
  private static final double STARVED = 0.15;

  /** Workers that are inside their function so much of the time are busy. */
  private static final double BUSY = 0.7;

  /** Times that vary so much have rare long ones among them. */
  private static final double HEAVY_TAIL = 1;

  private final Profile profile;
  private final Model model;
  private final List<OpNode> nodes;
  private final List<String> evidence = new ArrayList<>();

  Judge(Profile profile, Model model, List<OpNode> nodes) {
    this.profile = profile;
    this.model = model;
    this.nodes = nodes;
  }

  Verdict verdict() {
    Verdict found = found();
    boolean coresLimit = model.limit().kind() == LimitKind.CORES;
    String busy = found.kind() == Kind.STARTUP_BOUND ? null : Busy.sentence(profile, coresLimit);
    if (busy == null) {
      return found;
    }
    List<String> all = new ArrayList<>(found.evidence());
    all.add(Busy.evidence(profile, model));
    return new Verdict(
        found.kind(),
        found.operator(),
        found.where(),
        found.sentence() + " " + busy,
        all,
        found.waitShare(),
        found.utilisation());
  }

  private Verdict found() {
    double waitShare = profile.consumer().waitShare();
    if (profile.delivered() == 0) {
      return verdict(
          Kind.STARTUP_BOUND, -1, "Nothing has been delivered yet, so nothing can be said.");
    }
    if (startsLongest()) {
      note(
          "opening and the first element took %.2f s, all the rest %.2f s",
          profile.startSeconds(), profile.totalSeconds());
      return verdict(Kind.STARTUP_BOUND, -1, "Starting takes longer than everything that follows.");
    }
    if (profile.machine().gcShare() >= MUCH_GARBAGE) {
      return garbage();
    }
    if (waitShare < HARDLY_WAITS) {
      return consumer();
    }
    Suspect most = mostSuspect();
    if (most == null || most.operator() == Model.CONSUMER) {
      return consumer();
    }
    return most.isBuffer() ? buffer(most) : operator(most.operator());
  }

  /** What the pace depends on most; null where it depends on nothing that is known. */
  private @Nullable Suspect mostSuspect() {
    Suspect most = null;
    for (Suspect each : model.suspects()) {
      boolean isStep = each.operator() == Model.CONSUMER;
      if (most == null && isStep && isStarved()) {
        note(
            "by what each part takes the pipeline should keep up; something that was not measured"
                + " holds it up");
      } else if (most == null) {
        most = each;
      }
    }
    return most;
  }

  /** The kind of limit that an operator is. */
  private Verdict operator(int operator) {
    if (profile.operators().get(operator).transfer() != null) {
      return transfer(operator);
    }
    if (model.limit().kind() == LimitKind.CORES && model.of(operator).cpuNs() > 0) {
      return cores(operator);
    }
    // Of what it is a part of: one thread's work, or several workers', with or without a lock.
    for (Limit limit : model.limits()) {
      if (model.isPartOf(operator, limit)) {
        return switch (limit.kind()) {
          case ALL_WORKERS -> workers(limit.thread());
          case LOCK -> lock(limit);
          case SKEW -> skew(operator);
          case STEP, OWN_THREAD, ONE_WORKER, CORES, BUS -> onOneThread(operator);
        };
      }
    }
    return onOneThread(operator);
  }

  /** Whether the consumer waits for other threads, though by the model they should keep up. */
  private boolean isStarved() {
    Profile.Consumer consumer = profile.consumer();
    double took = consumer.stepNs() + consumer.insideNs();
    return consumer.blockedNs() > STARVED * took && took > (1 + STARVED) * model.ns();
  }

  private boolean startsLongest() {
    double all = profile.startSeconds() + profile.totalSeconds();
    return profile.startSeconds() > 0.5 && profile.startSeconds() > STARTS_LONGEST * all;
  }

  private Verdict consumer() {
    Profile.Consumer consumer = profile.consumer();
    note(
        "a step takes %s, of which %s computing on the host",
        time(consumer.stepNs()), time(consumer.stepCpuNs()));
    note("the pipeline needs %s of the consumer's time for an element", time(consumer.insideNs()));
    double others = model.relieved(Model.CONSUMER, 0).ns();
    note("by itself the pipeline could give one every %s", time(others));
    if (others > (1 - BALANCED_WITHIN) * model.ns()) {
      return verdict(
          Kind.BALANCED,
          -1,
          "Step and pipeline take about the same time: each would be the limit without the other.");
    }
    return verdict(
        Kind.CONSUMER_BOUND,
        -1,
        consumer.waitShare() < HARDLY_WAITS
            ? "The training step itself is the limit: the pipeline keeps up, and no change to it"
                + " can make training faster."
            : "The training step takes longest; between steps the training loop does the"
                + " pipeline's work itself, %.0f %% of the time."
                    .formatted(100 * consumer.waitShare()));
  }

  private Verdict onOneThread(int operator) {
    int thread = profile.operators().get(operator).runBy();
    Load load = model.of(operator);
    shares(operator);
    note(
        "it runs on %s; %.1f of %s %s in use",
        thread < 0
            ? "the training loop's own thread, between steps"
            : "one thread, for " + name(thread),
        profile.machine().processCores(),
        Plural.of(Math.round(profile.machine().cores()), "core"),
        Math.round(profile.machine().cores()) == 1 ? "is" : "are");
    if (isCache(operator)) {
      return cache(operator);
    }
    if (reads(operator)) {
      return verdict(
          Kind.SOURCE_BOUND,
          operator,
          "Reading is the limit: %s takes %s for each element that the training loop gets%s."
              .formatted(
                  name(operator),
                  time(load.ns()),
                  load.waitNs() > load.cpuNs() ? ", most of it waiting" : ""));
    }
    OpProfile.Crew crew = profile.operators().get(operator).crew();
    return verdict(
        Kind.SERIAL_BOUND,
        operator,
        crew != null && crew.workers() >= 1.5
            ? "%s is the limit: all that its %.0f workers make passes one thread, which takes %s for an element."
                .formatted(cap(name(operator)), crew.workers(), time(load.ns()))
            : "%s is the limit: it handles one element after another%s."
                .formatted(
                    cap(name(operator)),
                    load.waitNs() > load.cpuNs()
                        ? ", and mostly waits while it does"
                        : ", on one core"));
  }

  private Verdict workers(int thread) {
    OpProfile.Crew crew = profile.operators().get(thread).crew();
    long workers = Math.round(model.workers(thread));
    int maker = model.makerFor(thread);
    if (maker >= 0) {
      shares(maker);
      note(
          "what it leaves deferred is computed by %s of %s, which %s busy %.0f %% of the time",
          Plural.of(workers, "worker"),
          name(thread),
          workers == 1 ? "is" : "are",
          crew == null ? 0 : 100 * crew.busy());
      return verdict(
          Kind.INPUT_BOUND,
          maker,
          "%s is the limit: the %s it %s."
              .formatted(
                  cap(name(maker)),
                  workers == 1 ? "1 worker that computes" : workers + " workers that compute",
                  occupation(crew, workers)));
    }
    shares(thread);
    note(
        "it has %s, which %s busy %.0f %% of the time",
        Plural.of(workers, "worker"),
        workers == 1 ? "is" : "are",
        crew == null ? 0 : 100 * crew.busy());
    if (reads(thread)) {
      return verdict(
          Kind.SOURCE_BOUND,
          thread,
          "Reading is the limit: %s has no more than %s at work."
              .formatted(name(thread), Plural.of(workers, "reader")));
    }
    if (crew != null && model.isNotFarEnoughAhead(thread)) {
      return notFarEnoughAhead(thread, crew);
    }
    return verdict(
        Kind.INPUT_BOUND,
        thread,
        "%s is the limit: its %s %s."
            .formatted(cap(name(thread)), Plural.of(workers, "worker"), occupation(crew, workers)));
  }

  /** Workers that wait for their slowest, or for who takes what they made. */
  private Verdict notFarEnoughAhead(int thread, OpProfile.Crew crew) {
    note(
        "its workers get %d %s ahead, then wait; times vary by %.0f %%",
        crew.capacity(), Plural.word(crew.capacity(), "element"), 100 * crew.variation());
    noteWaitingInTurn();
    return verdict(
        Kind.INPUT_BOUND,
        thread,
        (crew.variation() > HEAVY_TAIL
                ? "%s is held up by its slow elements: results leave in order, and its workers get"
                    + " no further ahead than %d %s."
                : "%s is not far enough ahead: while the training loop trains, its workers make"
                    + " less than the next batch, and the loop waits for the rest.")
            .formatted(
                cap(name(thread)), crew.capacity(), Plural.word(crew.capacity(), "element")));
  }

  private void noteWaitingInTurn() {
    note(
        "on average the pipeline would need %s for an element; waiting for each other makes it %s",
        time(model.boundNs()), time(model.ns()));
  }

  private static String occupation(OpProfile.@Nullable Crew crew, long workers) {
    if (crew == null || crew.busy() >= BUSY) {
      return workers == 1
          ? "is busy and there is no other"
          : "are busy and there are no more of them";
    }
    return "cannot make more, though %s is busy only %.0f %% of the time"
        .formatted(workers == 1 ? "it" : "each of them", 100 * crew.busy());
  }

  /** Workers that hold each other up. */
  private Verdict lock(Limit limit) {
    int operator = limit.thread();
    OpProfile.Crew crew = profile.operators().get(operator).crew();
    shares(operator);
    long workers = crew == null ? 1 : Math.round(crew.workers());
    double locked =
        crew == null || crew.workNs() <= 0 ? 0 : Math.min(1, crew.lockedNs() / crew.workNs());
    note(
        "its %s for a lock %.0f %% of %s time; inside it an element takes %s",
        workers == 1 ? "1 worker waits" : workers + " workers wait",
        100 * locked,
        workers == 1 ? "its" : "their",
        time(limit.ns()));
    return verdict(
        Kind.SERIAL_BOUND,
        operator,
        "%s is the limit: its workers wait for each other at a lock, inside which one element is handled after another; more workers would only wait longer."
            .formatted(cap(name(operator))));
  }

  private Verdict cache(int operator) {
    return verdict(
        Kind.MEMORY_BOUND,
        operator,
        "%s is the limit: reading back what it keeps takes %s an element."
            .formatted(cap(name(operator)), time(profile.operators().get(operator).ns())));
  }

  private Verdict cores(int operator) {
    shares(operator);
    Load load = model.of(operator);
    note(
        "all operators and the step together compute %s for an element, on %.1f cores",
        time(model.cpuNs()), model.cores());
    if (isCache(operator)) {
      return cache(operator);
    }
    return verdict(
        nodes.get(operator).op().inputs().isEmpty() ? Kind.SOURCE_BOUND : Kind.INPUT_BOUND,
        operator,
        "%s is the limit: all cores that it can get are busy, %.0f %% of it there."
            .formatted(cap(name(operator)), 100 * load.cpuNs() / Math.max(1, model.cpuNs())));
  }

  /** Threads wait for each other in turn, because one cannot get far enough ahead. */
  private Verdict buffer(Suspect suspect) {
    int operator = suspect.operator();
    OpProfile.Crew crew = profile.operators().get(operator).crew();
    int capacity = crew == null ? 0 : crew.capacity();
    double variation = crew == null ? 0 : crew.variation();
    note(
        "times vary by %.0f %% there and by %.0f %% in the step; the buffer holds %d",
        100 * variation, 100 * Line.variation(profile.consumer().steps()), capacity);
    noteWaitingInTurn();
    return verdict(
        Kind.BUFFER_BOUND,
        operator,
        "%s is too small a buffer for times that vary so much: step and pipeline wait for each other in turn."
            .formatted(cap(name(operator))));
  }

  private Verdict skew(int operator) {
    OpProfile.Crew crew = profile.operators().get(operator).crew();
    double skew = crew == null ? 1 : crew.skew();
    shares(operator);
    note("the slowest of the datasets it reads takes %.1f times as long as the mean of them", skew);
    return verdict(
        Kind.SOURCE_BOUND,
        operator,
        "Reading is the limit: one of the datasets that take turns in %s is %.1f times as slow as the others together would be, and all wait for it."
            .formatted(name(operator), skew));
  }

  private Verdict transfer(int operator) {
    OpProfile.Transfer transfer = profile.operators().get(operator).transfer();
    note(
        "%s an element on the bus, %s on the thread that asks for it; host memory is %s",
        transfer == null ? "?" : time(transfer.busNs()),
        transfer == null ? "?" : time(transfer.stagedNs()),
        transfer == null || transfer.isPinned() ? "pinned" : "not pinned");
    if (transfer != null && transfer.isShortOfRoom()) {
      note(
          "%s of the device's %s are in use, and a batch takes %s",
          DiagnosisText.bytes(transfer.deviceBytes()),
          DiagnosisText.bytes(transfer.deviceLimit()),
          DiagnosisText.bytes(transfer.bytes()));
      return verdict(
          Kind.DEVICE_MEMORY_BOUND,
          operator,
          "The memory of %s is the limit: it has room for fewer batches than should lie there, so that copies and steps take turns in %s; smaller batches would fit."
              .formatted(transfer.device(), name(operator)));
    }
    return verdict(
        Kind.TRANSFER_BOUND,
        operator,
        "Copying to the device is the limit: " + name(operator) + ".");
  }

  private Verdict garbage() {
    Profile.Machine machine = profile.machine();
    note(
        "%d %s; everything stood still for %.0f %% of the time",
        machine.collections(),
        Plural.word(machine.collections(), "collection"),
        100 * machine.gcShare());
    note(
        "%s are in use after a collection, of %s that the heap may have",
        DiagnosisText.bytes(machine.liveBytes()), DiagnosisText.bytes(machine.heapBytes()));
    return verdict(
        Kind.MEMORY_BOUND,
        -1,
        "The garbage collector is the limit: the heap is too small for what is kept and made.");
  }

  // ---- words ------------------------------------------------------------------------------------

  private void shares(int operator) {
    OpProfile op = profile.operators().get(operator);
    double coreless = op.ns() - op.cpuNs() - op.waitNs();
    note(
        "%s takes %s an element: %s computing, %s waiting%s; %s make one that the training loop"
            + " gets",
        name(operator),
        time(op.ns()),
        time(op.cpuNs()),
        time(op.waitNs()),
        coreless > 0.1 * op.ns() ? ", " + time(coreless) + " without a core" : "",
        Math.abs(op.perDelivered() - Math.rint(op.perDelivered())) < 0.05
            ? "%.0f".formatted(op.perDelivered())
            : "%.1f".formatted(op.perDelivered()));
  }

  private boolean isCache(int operator) {
    return nodes.get(operator).op().traits().duty() == Duty.KEEPS;
  }

  /** Whether an operator reads: a source, one that opens sources, or a function on file names. */
  private boolean reads(int operator) {
    Load load = model.of(operator);
    return Reading.isBy(nodes.get(operator).op(), load.waitNs() > load.cpuNs());
  }

  private String name(int operator) {
    return operator < 0 ? "the training loop" : profile.operators().get(operator).path();
  }

  private static String cap(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private static String time(double ns) {
    return DiagnosisText.time(ns);
  }

  private void note(String format, Object... arguments) {
    evidence.add(String.format(Locale.ROOT, format, arguments));
  }

  private Verdict verdict(Kind kind, int operator, String sentence) {
    Profile.Consumer consumer = profile.consumer();
    double all = consumer.stepNs() + consumer.insideNs();
    return new Verdict(
        kind,
        operator,
        operator < 0 ? "" : name(operator),
        sentence,
        evidence,
        consumer.waitShare(),
        all == 0 ? 0 : consumer.stepNs() / all);
  }

  /** What kind of thing an operator does about files. */
  static final class Reading {
    private Reading() {}

    /**
     * Whether an operator reads.
     *
     * @param mostlyWaits whether it waits longer than it computes: a {@code flatMap} that computes
     *     makes elements, unless it is given files
     */
    static boolean isBy(Op op, boolean mostlyWaits) {
      return op.inputs().isEmpty()
          || (op.traits().duty() == Duty.OPENS
              && (readsSeveral(op) || mostlyWaits || getsFileNames(op)))
          || readsFiles(op);
    }

    /** Whether it can read several datasets at once: then it is there to read. */
    private static boolean readsSeveral(Op op) {
      return OpShape.of(op.getClass()).hasKnob("parallelism");
    }

    /** Whether its function is given the names of files, one by one. */
    static boolean readsFiles(Op op) {
      return !op.inputs().isEmpty()
          && op.traits().oneToOne()
          && !op.traits().keepsElements()
          && getsFileNames(op);
    }

    private static boolean getsFileNames(Op op) {
      Op at = op.inputs().getFirst();
      while (!at.inputs().isEmpty()
          && (at.traits().keepsElements()
              || at.traits().passing() == Passing.REORDERED
              || at.traits().passing() == Passing.REPEATED)) {
        at = at.inputs().getFirst();
      }
      return at.traits().duty() == Duty.LISTS_FILES;
    }
  }
}
