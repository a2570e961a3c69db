package dev.headrace.runtime;

import dev.headrace.data.Account;
import dev.headrace.data.Seed;
import dev.headrace.data.SlabPool;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Draws;
import dev.headrace.spi.Failure;
import dev.headrace.spi.ForwardingCursor;
import dev.headrace.spi.Id;
import dev.headrace.spi.Meter;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Passes;
import dev.headrace.spi.Plan;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.PureFunction;
import dev.headrace.spi.Spill;
import dev.headrace.spi.SpillMeter;
import dev.headrace.spi.TransferMeter;
import dev.headrace.spi.Watch;
import dev.headrace.spi.Work;
import dev.headrace.tune.Tuned;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine as one operator sees it while it is opened and while it runs. */
final class OpenContext implements Context {
  private final Engine engine;
  private final Pass pass;
  private final Op op;
  private final String key;
  private final String above;
  private final int depth;
  private final long iteration;
  private final @Nullable Id prefix;
  private final long demand;
  private final boolean mayLease;
  private final Deferral deferral;
  private final Engine.@Nullable Scope scope;
  private final Draws draws;
  private final Meter meter;
  private final @Nullable Place place;

  /** Whether all operators above this one keep their place when a pull stops. */
  private final boolean placeIsKeptAbove;

  /** Where crews count: the operator's own place, even if its cursors count elsewhere. */
  private final @Nullable Place home;

  private @Nullable String path;

  private OpenContext(
      Engine engine,
      Pass pass,
      Op op,
      String key,
      String above,
      int depth,
      long iteration,
      @Nullable Id prefix,
      long demand,
      boolean mayLease,
      Deferral deferral,
      Engine.@Nullable Scope scope,
      Draws draws,
      boolean counted,
      @Nullable Place home,
      boolean placeIsKeptAbove) {
    this.engine = engine;
    this.pass = pass;
    this.op = op;
    this.key = key;
    this.above = above;
    this.depth = depth;
    this.iteration = Passes.within(iteration); // a checkpoint may say anything
    this.prefix = prefix;
    this.demand = demand;
    this.mayLease = mayLease;
    this.deferral = deferral;
    this.scope = scope;
    this.draws = draws;
    this.place = counted ? engine.place(key, op, pathOf(op), depth) : null;
    this.meter = place == null ? new Meter() : place.meter;
    this.home = place == null ? home : place;
    this.placeIsKeptAbove = placeIsKeptAbove;
    if (op.traits().checkpointing() == Checkpointing.NONE) {
      pass.interruption().openedOneWay();
    }
  }

  static OpenContext root(Engine engine, Pass pass, Op op, long epoch, long demand) {
    boolean mayLease = !engine.settings().ownedBatches();
    return new OpenContext(
        engine,
        pass,
        op,
        "0",
        "",
        0,
        epoch,
        null,
        demand,
        mayLease,
        Deferral.AT_ONCE,
        null,
        engine.draws(),
        true,
        null,
        true);
  }

  /** The same, for a cursor that stands behind the operator's own and counts for itself. */
  OpenContext forBackground() {
    return uncounted(false);
  }

  private OpenContext uncounted(boolean leases) {
    return new OpenContext(
        engine,
        pass,
        op,
        key,
        above,
        depth,
        iteration,
        prefix,
        demand,
        leases,
        deferral,
        scope,
        draws,
        false,
        home,
        placeIsKeptBelow());
  }

  Engine engine() {
    return engine;
  }

  Pass pass() {
    return pass;
  }

  String threadName() {
    String site = op.site().toString();
    return "headrace-" + engine.number() + " " + op.word() + (site.isEmpty() ? "" : "@" + site);
  }

  /** Where a crew of this operator counts; it is the one that is looked at from now on. */
  CrewMeter crewMeter(WorkerCrew crew) {
    if (home == null) {
      return new CrewMeter();
    }
    home.crew = crew;
    return home.crewMeter;
  }

  /** What was found good for this operator's threads and buffer so far. */
  Tuned tuned() {
    return home == null ? Tuned.UNKNOWN : home.tuned;
  }

  void tuned(Tuned found) {
    if (home != null) {
      home.tuned = found;
    }
  }

  /** Whether no one can tell how often the operator's functions were called. */
  boolean callsPureFunctionsOnly() {
    return PureFunction.areAllOf(op);
  }

  /** The operator alone, with its name and line. */
  String shortPath() {
    return pathOf(op);
  }

  static String pathOf(Op op) {
    return op.title();
  }

  @Override
  public String pathOfInput(Op below) {
    return pathOf(engine.written(below));
  }

  /** Whether the user wrote it; not, if it was added, or several were made one. */
  private boolean isWritten() {
    return engine.written(op).getClass() == op.getClass();
  }

  @Override
  public String path() {
    String known = path;
    if (known == null) {
      known = isWritten() ? engine.written(op).route() : op.route();
      path = known;
    }
    return known;
  }

  @Override
  public long place() {
    return PlanShape.placeNumber(engine.written(op), above);
  }

  @Override
  public PlanIdentity identity(Op input) {
    // What the user put before it counts, even if that was taken out since.
    int index = op.inputs().indexOf(input);
    Op before = isWritten() ? engine.written(op).inputs().get(index) : engine.written(input);
    return engine.identityOf(before);
  }

  @Override
  public Meter meter() {
    return meter;
  }

  @Override
  public long iteration() {
    return iteration;
  }

  @Override
  public @Nullable Id prefix() {
    return prefix;
  }

  @Override
  public long demand() {
    return demand;
  }

  @Override
  public Cursor open(Op input) {
    return open(0, input, iteration, prefix, op.traits().oneToOne() ? demand : Long.MAX_VALUE);
  }

  @Override
  public Cursor open(Op input, long inputDemand) {
    return open(0, input, iteration, prefix, inputDemand);
  }

  @Override
  public Cursor open(Op input, long inputIteration, @Nullable Id inputPrefix) {
    return open(
        0,
        input,
        inputIteration,
        inputPrefix,
        op.traits().keepsElements() ? demand : Long.MAX_VALUE);
  }

  @Override
  public Cursor openAlone(Op input, Draws itsDraws) {
    return open(0, input, "", 0, null, Long.MAX_VALUE, itsDraws);
  }

  @Override
  public Seed drawnSeed() {
    return draws.at(placeOfDraws());
  }

  @Override
  public @Nullable Seed seedBefore() {
    return draws.earlier(placeOfDraws());
  }

  @Override
  public void tellSeed(Seed seed) {
    if (scope == null) { // else there may be as many as elements
      draws.tell(placeOfDraws(), seed);
    }
  }

  @Override
  public Draws drawsBefore() {
    return draws.before(placeOfDraws());
  }

  @Override
  public void notePass(boolean runsInput) {
    if (scope == null) { // else there may be as many as elements
      draws.notePass(placeOfDraws(), iteration, runsInput);
    }
  }

  @Override
  public Optional<Boolean> ranBefore() {
    return draws.ranBefore(placeOfDraws(), iteration);
  }

  private long placeOfDraws() {
    return scope == null ? place() : new Id(scope.id, place()).mixed();
  }

  @Override
  public Cursor open(int index, @Nullable Id inputPrefix, long inputDemand) {
    return open(index, op.inputs().get(index), iteration, inputPrefix, inputDemand);
  }

  private Cursor open(
      int index, Op input, long inputIteration, @Nullable Id inputPrefix, long inputDemand) {
    String branch = op.inputs().size() > 1 ? above + "/" + index : above;
    return open(index, input, branch, inputIteration, inputPrefix, inputDemand, draws);
  }

  private Cursor open(
      int index,
      Op input,
      String branch,
      long inputIteration,
      @Nullable Id inputPrefix,
      long inputDemand,
      Draws inputDraws) {
    OpenContext context =
        new OpenContext(
            engine,
            pass,
            input,
            key + "." + index,
            branch,
            depth + 1,
            inputIteration,
            inputPrefix,
            inputDemand,
            (mayLease && op.traits().keepsElements()) || op.traits().inputMemory() != null,
            deferralOf(input),
            scope,
            inputDraws,
            place != null,
            null,
            placeIsKeptBelow());
    return input.open(context);
  }

  private Deferral deferralOf(Op input) {
    return switch (op.traits().deferring()) {
      case NEEDS -> Deferral.AT_ONCE;
      case CARRIES ->
          // A buffer that the user did not write changes nothing about when something is computed.
          Deferral.isHeldBy(op) && isWritten() ? deferral.whileHeld() : deferral;
      case COMPOSES, COMPUTES ->
          // A function on one thread that reads what it is given would compute all of it there.
          // As the user wrote it: what fails must do so in the same place, rewritten or not.
          engine.written(op).parallelism() == Parallelism.SEQUENTIAL
                  && Deferral.parallelismOf(input, engine::written) != Parallelism.SEQUENTIAL
              ? Deferral.AT_ONCE
              : Deferral.LATER;
      case CASTS -> Deferral.IF_CAST;
      case PLACES -> Deferral.LATER;
    };
  }

  @Override
  public Deferral deferral() {
    return deferral;
  }

  @Override
  public Cursor openChild(Plan<?> plan, Id id) {
    engine.opensChild(key, plan.op());
    Engine.Scope child = new Engine.Scope(engine, id);
    OpenContext context =
        new OpenContext(
            engine,
            pass,
            plan.op(),
            key + ".child",
            above + "/child",
            depth + 1,
            iteration,
            id,
            Long.MAX_VALUE,
            false,
            Deferral.AT_ONCE,
            child,
            draws,
            false,
            null,
            placeIsKeptBelow());
    return new ChildCursor(context, plan.op().open(context), child);
  }

  /** The last cursor of a plan made by a function, which takes what its operators shared along. */
  private static final class ChildCursor extends ForwardingCursor {
    private final Engine.Scope scope;

    ChildCursor(Context context, Cursor last, Engine.Scope scope) {
      super(context, last);
      this.scope = scope;
    }

    @Override
    protected void produce(Chunk out, int max) {
      source.fill(out, max);
    }

    @Override
    public void close() {
      scope.close(source);
    }
  }

  @Override
  public boolean ordered(Order wish) {
    if (scope != null) {
      // What a function returned is opened again after a checkpoint without knowing the order of
      // its first life, so it has only one.
      return true;
    }
    return switch (wish) {
      case ORDERED -> true;
      case UNORDERED -> false;
      case DEFAULT -> engine.settings().deterministic();
    };
  }

  @Override
  public boolean debug() {
    return engine.settings().debug();
  }

  @Override
  public Cursor parallel(Cursor input, Work work, int parallelism, Order order) {
    WorkerCrew crew = new WorkerCrew(this, parallelism, true);
    return stage(
        crew,
        input,
        new StagePlan(
            work,
            op.traits().oneToOne(),
            ordered(order),
            0,
            op.traits().oneToOne() ? demand : Long.MAX_VALUE));
  }

  @Override
  public Cursor prepare(
      Cursor input, Consumer<Chunk> pulled, Work work, int parallelism, long inputDemand) {
    OpenContext uncounted = uncounted(mayLease);
    Cursor seen = new SeenCursor(uncounted, input, pulled);
    if (parallelism == Parallelism.SEQUENTIAL) {
      return seen;
    }
    Stage stage =
        new Stage(
            uncounted,
            new WorkerCrew(uncounted, parallelism, true),
            seen,
            new StagePlan(work, true, true, 0, inputDemand));
    if (place != null) {
      place.stage = stage;
    }
    return stage;
  }

  /** Shows chunks to somebody on their way. */
  private static final class SeenCursor extends ForwardingCursor {
    private final Consumer<Chunk> pulled;

    SeenCursor(Context context, Cursor source, Consumer<Chunk> pulled) {
      super(context, source);
      this.pulled = pulled;
    }

    @Override
    protected void produce(Chunk out, int max) {
      source.fill(out, max);
      pulled.accept(out);
    }

    @Override
    public void skip(long count) {
      runOver(count); // what is passed over must be seen, too
    }
  }

  @Override
  public void turned(String knob, int before, int after, String why) {
    engine.knobTurned(path(), knob, before, after, why);
  }

  @Override
  public void remark(String text) {
    if (place != null) {
      place.remark = text;
    }
  }

  @Override
  public Cursor prefetch(Cursor input, int capacity) {
    if (place != null) {
      place.onlyPulls = true;
    }
    WorkerCrew crew = new WorkerCrew(this, 1, true, capacity == Parallelism.IF_IT_HELPS);
    return stage(crew, input, new StagePlan(null, true, true, capacity, demand));
  }

  @Override
  public Cursor readAhead(Cursor input, int capacity) {
    OpenContext uncounted = uncounted(mayLease);
    Stage stage =
        new Stage(
            uncounted,
            new WorkerCrew(uncounted, 1, true),
            input,
            new StagePlan(null, true, true, capacity, demand));
    if (place != null) {
      place.stage = stage;
      place.onlyPulls = true;
    }
    return stage;
  }

  private Cursor stage(WorkerCrew crew, Cursor input, StagePlan plan) {
    Stage stage = new Stage(this, crew, input, plan);
    if (place != null) {
      place.stage = stage;
    }
    return stage;
  }

  @Override
  public Crew crew(int parallelism) {
    return new WorkerCrew(this, parallelism, false);
  }

  @Override
  public <S> S shared(Supplier<S> maker) {
    return scope == null ? engine.shared(key, maker) : scope.shared(key, maker);
  }

  @Override
  public <S> S shared(String name, Supplier<S> maker) {
    String place = "all " + name;
    return scope == null ? engine.shared(place, maker) : scope.shared(place, maker);
  }

  @Override
  public Watch watchBelow() {
    return engine.watchBelow(key);
  }

  @Override
  public Account heap() {
    return engine.memory().heap();
  }

  @Override
  public Spill spill() {
    return new Spill(
        this, engine.settings().spill(), place == null ? new SpillMeter() : place.spills);
  }

  @Override
  public @Nullable SlabPool slabs() {
    return mayLease ? engine.memory().slabs() : null;
  }

  @Override
  public TransferMeter transfers() {
    engine.memory().lendsDeviceMemory();
    return place == null ? Context.super.transfers() : place.transfers;
  }

  @Override
  public boolean keepsPlace() {
    return op.traits().keepsPlace();
  }

  private boolean placeIsKeptBelow() {
    return placeIsKeptAbove && keepsPlace();
  }

  /** Whether all operators above this one keep their place when a pull stops. */
  boolean placeIsKeptAbove() {
    return placeIsKeptAbove;
  }

  @Override
  public void checkGoing() {
    pass.checkGoing(placeIsKeptBelow());
  }

  @Override
  public void checkPull() {
    pass.checkGoing(placeIsKeptAbove);
  }

  @Override
  public void asOne(Runnable work) {
    pass.interruption().asOne(work);
  }

  @Override
  public boolean mustCallAgain(Throwable cause, int times) {
    return pass.functionFailed(cause, times, false);
  }

  @Override
  public boolean mustAskAgain(Throwable cause, int times) {
    return pass.functionFailed(cause, times, placeIsKeptBelow());
  }

  @Override
  public void leftInterrupted() {
    pass.functionReturned();
  }

  @Override
  public Failure failure(@Nullable Id id, Throwable cause) {
    boolean _ =
        pass.functionFailed(
            cause, Integer.MAX_VALUE, false); // where it cannot be called again, it has failed
    return Context.super.failure(id, cause);
  }

  @Override
  public void warn(String message) {
    engine.warn(message);
  }
}
