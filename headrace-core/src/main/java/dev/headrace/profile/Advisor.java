package dev.headrace.profile;

import dev.headrace.data.Plural;
import dev.headrace.profile.Advice.Action;
import dev.headrace.profile.Model.Limit;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Parallelism;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tries every change that could be made, in the model, and says what it would bring. */
final class Advisor {
  /** Less than this is not worth a change. */
  private static final double WORTH = 1.03;

  /**
   * Caching costs memory and helps from the second epoch on, packing is work for the user: they
   * must gain so much more.
   */
  private static final double CACHE_HANDICAP = 2;

  private static final double MUCH_GARBAGE = 0.08;

  private static final double SMALL_FILE_BYTES = 256_000;
  private static final double READ_BYTES_PER_NS = 0.2;
  private static final double LEAST_OPENING_NS = 200_000;

  private static final String USELESS = "useless-prefetch";

  /** Operators whose elements differ from epoch to epoch, which a cache would end. */
  private static final Set<String> RANDOM =
      Set.of("shuffle", "globalShuffle", "randomMap", "random", "sampleFrom", "rejectionResample");

  private final Profile profile;
  private final Model model;
  private final Measurements measured;
  private final List<OpNode> nodes;
  private final List<Advice> advice = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();
  private final Model cold;
  private final Verdict verdict;
  private final int about;
  private final double now;
  private double bestCache;
  private @Nullable Finding cacheNote;

  /**
   * An advisor.
   *
   * @param cold how it was before any cache was filled
   * @param verdict what was found to limit: what is advised must not contradict it, and of changes
   *     that gain the same, one to its operator comes first
   */
  Advisor(Profile profile, Model model, Model cold, Measurements measured, Verdict verdict) {
    this.cold = cold;
    this.verdict = verdict;
    this.about = verdict.operator();
    this.profile = profile;
    this.model = model;
    this.nodes = measured.nodes();
    this.measured = measured;
    this.now = model.ns();
  }

  /** What would help, the most useful first. */
  List<Advice> advice() {
    if (profile.delivered() == 0) {
      return List.of(); // nothing is known
    }
    sayWhatIsBusy();
    if (!model.fits() && !isHeldUpByOthers()) {
      sayThatItDoesNotFit();
      enlargeHeap();
      return List.copyOf(advice);
    }
    for (int i = 0; i < nodes.size() && i < profile.operators().size(); i++) {
      parallelise(i);
      enlargeBuffer(i);
      cache(i);
      remove(i);
      evenOut(i);
      packFiles(i);
      pin(i);
      overlap(i);
      sayWhatTheDeviceBrings(i);
    }
    if (!nodes.isEmpty()) {
      prefetch();
    }
    enlargeHeap();
    if (cacheNote != null) {
      findings.add(cacheNote);
    }
    List<Advice> useful = new ArrayList<>();
    for (Advice each : advice) {
      if (each.action() == Action.REMOVE ? each.speedup() > 1 / WORTH : isWorth(each)) {
        useful.add(each);
      }
    }
    leaveWhatHelps(useful);
    useful.sort(
        Comparator.comparingDouble(this::weight)
            .reversed()
            .thenComparingInt(each -> each.action().ordinal())
            .thenComparingLong(Advice::bytes));
    return useful;
  }

  List<Finding> findings() {
    return findings;
  }

  /** Whether a change gains enough, and the verdict does not say that none can. */
  private boolean isWorth(Advice each) {
    boolean isInVain =
        verdict.kind() == Verdict.Kind.CONSUMER_BOUND && verdict.waitShare() < Judge.HARDLY_WAITS;
    return each.speedup() >= WORTH && (!isInVain || each.action() == Action.ENLARGE_HEAP);
  }

  /** What is the limit, or would help if it were larger, is not told to be useless. */
  private void leaveWhatHelps(List<Advice> useful) {
    List<Integer> needed = new ArrayList<>();
    for (Advice each : useful) {
      if (each.action() != Action.REMOVE) {
        needed.add(each.operator());
      }
    }
    boolean isBuffer = verdict.kind() == Verdict.Kind.BUFFER_BOUND;
    useful.removeIf(
        each ->
            each.action() == Action.REMOVE
                && (needed.contains(each.operator()) || (isBuffer && each.operator() == about)));
    findings.removeIf(
        finding ->
            finding.rule().equals(USELESS)
                && useful.stream()
                    .noneMatch(
                        each ->
                            each.action() == Action.REMOVE
                                && each.where().equals(finding.operator())));
  }

  private void sayWhatIsBusy() {
    boolean coresLimit = model.limit().kind() == Model.LimitKind.CORES;
    String busy = Busy.sentence(profile, coresLimit);
    if (busy != null) {
      findings.add(
          new Finding(
              Finding.Severity.HINT,
              "busy-machine",
              "",
              busy,
              List.of(Busy.evidence(profile, model)),
              "Measure again when they are done, or give the pipeline cores of its own."));
    }
  }

  /** Whether an element takes longer than the model says, on a machine that others use, too. */
  private boolean isHeldUpByOthers() {
    return model.fit() > 1 && Busy.hasOthers(profile.machine());
  }

  private void sayThatItDoesNotFit() {
    Profile.Consumer consumer = profile.consumer();
    findings.add(
        new Finding(
            Finding.Severity.HINT,
            "does-not-fit",
            "",
            "the measurements do not fit together, so that no change is advised: by what each part takes an element should take %s, but it took %s"
                .formatted(time(now), time(consumer.stepNs() + consumer.insideNs())),
            List.of("something holds the pipeline up, or helps it, that was not measured"),
            "Measure longer, and on a machine that does nothing else."));
  }

  /**
   * Gains that differ by less than three percent are equal: then the simpler change comes first.
   */
  private double weight(Advice each) {
    double gain = each.speedup();
    if (each.action() == Action.CACHE || each.action() == Action.PACK_FILES) {
      gain = Math.max(WORTH, gain / CACHE_HANDICAP);
    }
    double weight = Math.rint(Math.log(gain) / Math.log(WORTH));
    return each.operator() == about && about >= 0 && gain >= WORTH ? weight + 1.5 : weight;
  }

  private void parallelise(int i) {
    Op op = nodes.get(i).op();
    boolean hasKnob =
        op.parallelism() != Parallelism.SEQUENTIAL
            || OpShape.of(op.getClass()).hasKnob("parallelism");
    if (!hasKnob) {
      return;
    }
    OpProfile.Crew crew = profile.operators().get(i).crew();
    boolean opens = op.traits().duty() == Duty.OPENS;
    Action action = opens ? Action.READ_IN_PARALLEL : Action.PARALLELISE;
    if (op.parallelism() == Parallelism.SEQUENTIAL) {
      Load load = model.of(i);
      add(
          action,
          i,
          opens
              ? "read several at once in " + name(i)
              : "run " + name(i) + " on several elements at once",
          opens
              ? "interleave(…, AUTOTUNE)"
              : "."
                  + op.word()
                  + "(…, AUTOTUNE)   // if the function may be called by several threads at once",
          model.parallelised(i),
          0,
          List.of(
              "it now takes %s of every %s, one element after another, %s"
                  .formatted(
                      time(load.ns()),
                      time(now),
                      load.waitNs() > load.cpuNs() ? "mostly waiting" : "computing")));
    } else if (crew != null && !crew.isTuned()) {
      add(
          action,
          i,
          "more workers for " + name(i),
          "." + op.word() + "(…, AUTOTUNE)",
          model.withWorkers(i, 0),
          0,
          List.of(
              "its %s %s busy %.0f %% of the time"
                  .formatted(
                      Plural.of(Math.round(crew.workers()), "worker"),
                      Math.round(crew.workers()) == 1 ? "is" : "are",
                      100 * crew.busy())));
    }
  }

  private void prefetch() {
    Load inline = model.serial(Model.CONSUMER);
    Op last = nodes.getFirst().op();
    if (last.traits().shapesNothing() && !isCache(last)) {
      return; // it ends in one already
    }
    Model with = model.prefetched(2);
    double bytes = profile.operators().getFirst().bytes();
    add(
        Action.PREFETCH,
        -1,
        "read ahead at the end of the pipeline",
        ".prefetch(AUTOTUNE)   // as the last operator",
        with,
        (long) (2 * bytes),
        List.of(
            "the training loop itself spends %s of every %s on it, while the step waits"
                .formatted(time(inline.ns()), time(now))));
    double gain = gain(with);
    if (gain < WORTH) {
      Limit limit = with.limit();
      findings.add(
          new Finding(
              Finding.Severity.NOTE,
              "prefetch-cannot-help",
              "",
              "prefetching cannot help: "
                  + limitText(with, limit)
                  + " is the limit with or without it",
              List.of(
                  "the training loop's thread spends %s of %s on the pipeline"
                      .formatted(time(inline.ns()), time(now))),
              ""));
    }
  }

  private void overlap(int i) {
    OpProfile.Transfer transfer = profile.operators().get(i).transfer();
    if (model.isOverlapped(i) || (transfer != null && transfer.isShortOfRoom())) {
      return;
    }
    add(
        Action.PREFETCH_TO_DEVICE,
        i,
        "copy ahead of the step in " + name(i),
        ".prefetchToDevice(device)   // two batches: one to work on, one on its way",
        model.overlapped(i),
        transfer == null ? 0 : (long) transfer.bytes(),
        List.of("with room for one batch on the device, copies and steps take turns"));
  }

  /** What copying ahead to a device gains, or why it gains nothing. */
  private void sayWhatTheDeviceBrings(int i) {
    OpProfile.Transfer transfer = profile.operators().get(i).transfer();
    Profile.Consumer consumer = profile.consumer();
    double cycle = consumer.stepNs() + consumer.insideNs();
    Op op = nodes.get(i).op();
    boolean copiesAhead = OpShape.of(op.getClass()).number(op, "buffer") != 1;
    if (transfer == null
        || cycle <= 0
        || transfer.busNs() + transfer.computeNs() <= 0
        || !copiesAhead) {
      return;
    }
    double under = transfer.busNs() + transfer.computeNs();
    // At once, or one after the other; either way the input may be slower, and then is the limit.
    double input = model.upstreamNs(i);
    double atOnce = Math.max(Math.max(transfer.busNs(), transfer.computeNs()), consumer.stepNs());
    double saved = Math.max(input, under + consumer.stepNs()) - Math.max(input, atOnce);
    double without = cycle + Math.min(saved, transfer.overlap() * under);
    double gain = without / cycle;
    boolean helps = gain >= WORTH;
    List<String> evidence = new ArrayList<>();
    evidence.add(
        "%s a batch at %.1f GB/s, %s; %.0f %% of copying%s goes on beside the step"
            .formatted(
                DiagnosisText.bytes((long) transfer.bytes()),
                transfer.busNs() == 0 ? 0 : transfer.bytes() / transfer.busNs(),
                transfer.isPinned() ? "from pinned memory" : "from memory that is not pinned",
                100 * transfer.overlap(),
                transfer.computeNs() > 0 ? " and computing there" : ""));
    evidence.add(
        "a batch takes %s: copying %s, computing on the device %s, the step %s, waiting %s"
            .formatted(
                time(cycle),
                time(transfer.busNs()),
                time(transfer.computeNs()),
                time(consumer.stepNs()),
                time(consumer.insideNs())));
    findings.add(
        new Finding(
            Finding.Severity.NOTE,
            helps ? "device-prefetch-helps" : "device-prefetch-gains-nothing",
            nodes.get(i).op().title(),
            helps
                ? "prefetching to %s helps: without it a batch would take %s instead of %s (%.2f times as long)"
                    .formatted(transfer.device(), time(without), time(cycle), gain)
                : consumer.waitShare() > 0.1 && input >= atOnce
                    ? "prefetching to %s gains next to nothing: the input is the limit, the loop waits %.0f %% of its time for it, and copying takes %.1f %%"
                        .formatted(
                            transfer.device(), 100 * consumer.waitShare(), 100 * under / cycle)
                    : "prefetching to %s gains next to nothing: copying takes %.1f %% of the time, the step %.1f %%"
                        .formatted(
                            transfer.device(),
                            100 * under / cycle,
                            100 * consumer.stepNs() / cycle),
            evidence,
            ""));
  }

  private void pin(int i) {
    OpProfile.Transfer transfer = profile.operators().get(i).transfer();
    if (transfer == null || transfer.isPinned()) {
      return;
    }
    Model with = model.withLoad(i, load -> Load.NONE);
    advice.add(
        advice(
                Action.PIN,
                i,
                "copy from pinned memory in " + name(i),
                "a device whose host memory is pinned",
                gain(with),
                with,
                0,
                List.of(
                    "each copy holds up the thread that asks for it for %s, the bus for %s"
                        .formatted(time(transfer.stagedNs()), time(transfer.busNs()))))
            .forTheUser());
  }

  private void evenOut(int i) {
    OpProfile.Crew crew = profile.operators().get(i).crew();
    if (crew == null || crew.skew() < 1.2) {
      return;
    }
    Model with = model.evened(i);
    advice.add(
        advice(
                Action.EVEN_OUT,
                i,
                "datasets of about the same size and speed in " + name(i),
                "write the files again in equal parts, or read parts of them: Dataset.splits(n)",
                gain(with),
                with,
                0,
                List.of(
                    "the slowest takes %.1f times as long as the mean of them"
                        .formatted(crew.skew())))
            .forTheUser());
  }

  /**
   * Files that are opened one by one and are small cost mostly the opening; in larger files records
   * follow each other.
   */
  private void packFiles(int i) {
    OpProfile op = profile.operators().get(i);
    boolean isSmall = op.bytes() > 0 && op.bytes() < SMALL_FILE_BYTES;
    double readNs = op.bytes() / READ_BYTES_PER_NS;
    if (!Judge.Reading.readsFiles(nodes.get(i).op())
        || !isSmall
        || op.waitNs() < Math.max(LEAST_OPENING_NS, 4 * readNs)) {
      return;
    }
    double left = readNs / op.waitNs();
    Model with = model.withLoad(i, load -> new Load(load.cpuNs(), load.waitNs() * left));
    advice.add(
        advice(
                Action.PACK_FILES,
                i,
                "fewer, larger files for " + name(i),
                "dataset.writeTfRecords(…)   // once; then Dataset.tfRecords(…)",
                gain(with),
                with,
                0,
                List.of(
                    "a file has %s, and most of the %s that it takes is waiting to open and find it"
                        .formatted(DiagnosisText.bytes(op.bytes()), time(op.ns()))))
            .forTheUser());
  }

  private static boolean isPrefetch(Op op) {
    return op.traits().duty() == Duty.READS_AHEAD;
  }

  private void enlargeBuffer(int i) {
    Op op = nodes.get(i).op();
    OpProfile.Crew crew = profile.operators().get(i).crew();
    if (!isPrefetch(op) || crew == null || crew.capacity() >= Advice.LARGER_BUFFER) {
      return;
    }
    OpProfile profiled = profile.operators().get(i);
    add(
        Action.ENLARGE_BUFFER,
        i,
        "a larger buffer in " + name(i),
        "." + op.word() + "(" + Advice.LARGER_BUFFER + ")",
        model.withBuffer(i, Advice.LARGER_BUFFER),
        (long) ((Advice.LARGER_BUFFER - crew.capacity()) * profiled.bytesP99()),
        List.of(
            "times vary by %.0f %%, and it holds %d"
                .formatted(100 * crew.variation(), crew.capacity())));
  }

  private void cache(int i) {
    Op op = nodes.get(i).op();
    double each = Math.max(24, bytesOf(i));
    long elements = elementsOf(i);
    if (elements <= 0 || isCachedAnyway(i) || isRandom(op) || op.traits().shapesNothing()) {
      return;
    }
    double bytes = elements * each;
    long room = profile.memory().roomOnHeap();
    if (bytes > 0.8 * room) {
      return;
    }
    Model with = model.cachedAfter(i);
    String title = "keep the elements of " + name(i) + " in memory";
    String code = ".cache()   // after it; from the second epoch on";
    String what =
        "%s of %s each; everything up to there is then done once"
            .formatted(Plural.of(elements, "element"), DiagnosisText.bytes(each));
    if (profile.epochs() > 1) {
      add(Action.CACHE, i, title, code, with, (long) bytes, List.of(what));
    } else if (gain(with) > 1.2 && gain(with) > bestCache) {
      bestCache = gain(with);
      cacheNote =
          new Finding(
              Finding.Severity.NOTE,
              "cache-later",
              name(i),
              "from a second epoch on, a cache after it would make it %.1f times as fast"
                  .formatted(bestCache),
              List.of(what),
              "");
    }
  }

  /** How many elements one epoch of an operator has, as far as that is known. */
  private long elementsOf(int i) {
    long told = nodes.get(i).op().cardinality();
    return told == Op.UNKNOWN ? measured.elementsPerEpoch(i) : told;
  }

  /** What one element weighs once everything in it is computed. */
  private double bytesOf(int i) {
    OpProfile op = profile.operators().get(i);
    OpProfile.Later later = op.later();
    if (later == null || op.perDelivered() == 0) {
      return op.bytes();
    }
    OpProfile at = profile.operators().get(later.at());
    return Math.max(op.bytes(), at.bytes() * at.perDelivered() / op.perDelivered());
  }

  private boolean isCachedAnyway(int i) {
    for (int j = 0; j < nodes.size() && j < profile.operators().size(); j++) {
      if (isCache(nodes.get(j).op())
          && (i == j || model.isUpstream(i, j) || model.isUpstream(j, i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether it keeps elements, or will if that helps; what the user did not write shapes nothing.
   */
  private static boolean isCache(Op op) {
    return op.traits().duty() == Duty.KEEPS;
  }

  private static boolean isRandom(Op op) {
    return RANDOM.contains(op.word()) || op.inputs().stream().anyMatch(Advisor::isRandom);
  }

  /** Says so where a buffer gains nothing, or a cache costs more than it saves. */
  private void remove(int i) {
    Op op = nodes.get(i).op();
    if (isCache(op) && !op.traits().shapesNothing() && profile.epochs() > 1) {
      Model without = model.uncached(i, cold);
      add(
          Action.REMOVE,
          i,
          "take out " + name(i),
          "without it",
          without,
          0,
          List.of(
              "to read an element back takes %s; to make it again takes less"
                  .formatted(time(profile.operators().get(i).ns()))));
    }
    OpProfile.Crew crew = profile.operators().get(i).crew();
    if (!isPrefetch(op) || crew == null) {
      return;
    }
    Model without = model.withoutThread(i);
    double factor = now / without.leastNs() > 1 / WORTH ? now / without.ns() : 0;
    if (factor > 1 / WORTH) {
      findings.add(
          new Finding(
              Finding.Severity.NOTE,
              USELESS,
              name(i),
              "gains nothing here: "
                  + limitText(without, without.limit())
                  + " is the limit with or without it",
              List.of(
                  "without it: %.2f times as fast, %s of memory less"
                      .formatted(
                          factor,
                          DiagnosisText.bytes(crew.fill() * profile.operators().get(i).bytes()))),
              "It can be taken out."));
      advice.add(
          advice(
              Action.REMOVE,
              i,
              "take out " + name(i),
              "without it",
              factor,
              without,
              -(long) (crew.fill() * profile.operators().get(i).bytes()),
              List.of("it gains nothing here")));
    }
  }

  /*
   * Garbage is collected whenever the room above what is in use has been filled: with more room,
   * proportionally less often.
   */
  private void enlargeHeap() {
    Profile.Machine machine = profile.machine();
    double share = machine.gcShare();
    double room = (double) machine.heapBytes() - machine.liveBytes();
    if (share < MUCH_GARBAGE || room <= 0) {
      return;
    }
    double roomThen = 2.0 * machine.heapBytes() - machine.liveBytes();
    double then = 1 - share + share * room / roomThen;
    advice.add(
        new Advice(
            Action.ENLARGE_HEAP,
            -1,
            "",
            "the heap",
            "twice as large a heap",
            "java -Xmx%dm …".formatted(2 * machine.heapBytes() >> 20),
            1 / then,
            profile.rate() / then,
            "",
            machine.heapBytes(),
            false,
            List.of(
                "the collector stops everything for %.0f %% of the time".formatted(100 * share))));
  }

  // ---- words ------------------------------------------------------------------------------------

  private void add(
      Action action, int i, String title, String code, Model with, long bytes, List<String> why) {
    double gain = gain(with);
    if (action == Action.REMOVE || gain >= WORTH) {
      advice.add(advice(action, i, title, code, gain, with, bytes, why));
    }
  }

  /**
   * How many times as fast. Where the step would be the limit, its time is known; elsewhere, what
   * makes the pipeline slower than the model has it now would do so then, too.
   */
  private double gain(Model with) {
    double most = gain(with, with.leastNs());
    return most < WORTH ? most : gain(with, with.ns());
  }

  private double gain(Model with, double then) {
    if (then <= 0) {
      return 1; // nothing is left that takes time
    }
    boolean isStep = with.limit().kind() == Model.LimitKind.STEP;
    boolean wasStep = model.limit().kind() == Model.LimitKind.STEP;
    double gain = (isStep && !wasStep ? Math.max(1, model.fit()) : 1) * now / then;
    Profile.Consumer consumer = profile.consumer();
    if (!model.fits() && model.fit() > 1) {
      // Others hold it up by more than is known, and may do so then, too.
      double measured = consumer.stepNs() + consumer.insideNs();
      gain = measured / (then + measured - now);
    }
    // Whatever is changed, the step takes its time.
    return consumer.stepNs() <= 0
        ? gain
        : Math.min(gain, (consumer.stepNs() + consumer.insideNs()) / consumer.stepNs());
  }

  private Advice advice(
      Action action,
      int i,
      String title,
      String code,
      double speedup,
      Model with,
      long bytes,
      List<String> why) {
    return new Advice(
        action,
        i,
        i < 0 ? "" : nodes.get(i).key(),
        i < 0 ? "the end of the pipeline" : name(i),
        title,
        code,
        speedup,
        profile.rate() * speedup,
        limitText(with, with.limit()) + " would be the limit",
        bytes,
        true,
        why);
  }

  /** What limits, in words: the operator that the verdict would be about, not the thread. */
  private String limitText(Model of, Limit limit) {
    if (of.isHeldUpInTurn()) {
      return "waiting for each other in turn";
    }
    int culprit = of.culprit(limit);
    return switch (limit.kind()) {
      case STEP -> "the training step";
      case CORES ->
          String.format(
              Locale.ROOT,
              "the cores (%.1f of %.0f are left to it), busiest in %s,",
              of.cores(),
              profile.machine().cores(),
              culprit < 0 ? "the training step" : name(culprit));
      case OWN_THREAD, ONE_WORKER, ALL_WORKERS, BUS ->
          culprit < 0 ? "the thread that reads ahead" : name(culprit);
      case LOCK -> "a lock in " + name(culprit);
      case SKEW -> "the slowest of the datasets in " + name(culprit);
    };
  }

  private String name(int i) {
    return profile.operators().get(i).path();
  }

  private static String time(double ns) {
    return DiagnosisText.time(ns);
  }
}
