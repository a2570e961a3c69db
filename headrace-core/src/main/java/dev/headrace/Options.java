package dev.headrace;

import dev.headrace.data.SpillSpace;
import dev.headrace.optimize.Goals;
import dev.headrace.optimize.Optimizer;
import dev.headrace.profile.LintSettings;
import dev.headrace.runtime.Settings;
import dev.headrace.spi.NanoClock;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a pipeline is to be run. What is not set in code is taken from the system property {@code
 * headrace.*}, then from the environment variable {@code HEADRACE_*}, then from a default.
 */
public final class Options {
  private static final Options DEFAULTS = new Options();

  private @Nullable Boolean deterministic;
  private @Nullable Boolean debug;
  private @Nullable Boolean ownedBatches;
  private @Nullable Boolean strictBatches;
  private @Nullable Boolean requireCheckpoint;
  private @Nullable Boolean assumePure;
  private @Nullable Boolean optimise;
  private @Nullable Boolean tune;
  private @Nullable Tuning tuning;
  private @Nullable Path tuningFolder;
  private Set<String> rulesOff = Set.of();
  private @Nullable Long cpuBudget;
  private @Nullable Long threadLimit;
  private @Nullable Long virtualLimit;
  private @Nullable Long heapBudget;
  private @Nullable Long nativeBudget;
  private @Nullable Long memoryBudget;
  private @Nullable Boolean spill;
  private @Nullable Path spillFolder;
  private @Nullable Long spillBudget;
  private @Nullable Duration stallAfter;
  private @Nullable Duration closeGrace;
  private NanoClock clock = NanoClock.SYSTEM;
  private long epochs;

  private Options() {}

  private Options(Options from) {
    deterministic = from.deterministic;
    debug = from.debug;
    ownedBatches = from.ownedBatches;
    strictBatches = from.strictBatches;
    requireCheckpoint = from.requireCheckpoint;
    assumePure = from.assumePure;
    optimise = from.optimise;
    tune = from.tune;
    tuning = from.tuning;
    tuningFolder = from.tuningFolder;
    rulesOff = from.rulesOff;
    cpuBudget = from.cpuBudget;
    threadLimit = from.threadLimit;
    virtualLimit = from.virtualLimit;
    heapBudget = from.heapBudget;
    nativeBudget = from.nativeBudget;
    memoryBudget = from.memoryBudget;
    spill = from.spill;
    spillFolder = from.spillFolder;
    spillBudget = from.spillBudget;
    stallAfter = from.stallAfter;
    closeGrace = from.closeGrace;
    clock = from.clock;
    epochs = from.epochs;
  }

  public static Options defaults() {
    return DEFAULTS;
  }

  /** Whether parallel operators keep order unless told otherwise; they do by default. */
  public Options deterministic(boolean keepOrder) {
    Options copy = new Options(this);
    copy.deterministic = keepOrder;
    return copy;
  }

  /** Runs everything on the caller's thread, so that breakpoints and stacks are the user's. */
  public Options debug() {
    return debug(true);
  }

  /** Whether everything runs on the caller's thread. */
  public Options debug(boolean onCallersThread) {
    Options copy = new Options(this);
    copy.debug = onCallersThread;
    return copy;
  }

  /** Whether batches are never reused, so that they stay valid as long as they are referenced. */
  public Options ownedBatches(boolean owned) {
    Options copy = new Options(this);
    copy.ownedBatches = owned;
    return copy;
  }

  /**
   * Whether a batch ends with the next one however small it is. Otherwise small ones (below 4 KB)
   * may happen to stay valid, so that code which holds batches too long works until they grow. On
   * while debugging, and in tests with {@code NoLeftovers} and {@code PipelineContract}.
   */
  public Options strictBatches(boolean strict) {
    Options copy = new Options(this);
    copy.strictBatches = strict;
    return copy;
  }

  /** Makes {@code open()} fail where {@code checkpoint()} would. */
  public Options requireCheckpoint() {
    Options copy = new Options(this);
    copy.requireCheckpoint = true;
    return copy;
  }

  /**
   * Promises that every function gives the same result for the same element, no matter which thread
   * calls it and when, and has no other visible effect. The engine may then call {@code map}
   * functions concurrently and keep what they returned, where that was measured to help.
   *
   * <p>Kept are elements that every epoch would make again: those before the first operator that
   * draws again in each epoch ({@code shuffle}, {@code randomMap}, …), if they fit into half of the
   * heap budget that is free, take longer to make than to keep, and none of them fails. The first
   * epoch fills this memory if {@link #epochs} or a {@code repeat} says that another one follows,
   * the second one otherwise. Order, elements, errors and checkpoints are the same as without, and
   * the memory is given back when another operator needs it. {@code Pipeline.explain()} says what
   * is kept, or why nothing is; {@code withoutRules("cache")} turns it off.
   *
   * <p>So functions must not change the elements they are given, either. What reaches the consumer
   * as it was kept is kept only if it cannot be changed: tensors, numbers and texts, and records
   * and unmodifiable collections of them.
   */
  public Options assumePure() {
    Options copy = new Options(this);
    copy.assumePure = true;
    return copy;
  }

  /** Whether the plan may be rewritten where that changes no element; it may by default. */
  public Options optimise(boolean mayRewrite) {
    Options copy = new Options(this);
    copy.optimise = mayRewrite;
    return copy;
  }

  /** Runs the plan exactly as it was written: no operator is added, moved, fused or taken out. */
  public Options asWritten() {
    return optimise(false);
  }

  /**
   * Turns rules of the optimizer off, by the names that {@code explain()} shows; {@code
   * docs/inside/optimizer.md} has them all.
   */
  public Options withoutRules(String... names) {
    Set<String> off = Set.copyOf(List.of(names));
    Optimizer.checkNames(off);
    Options copy = new Options(this);
    copy.rulesOff = off;
    return copy;
  }

  /**
   * Whether threads and buffers that are AUTOTUNE are changed while the pipeline runs; they are by
   * default. Where not, they keep the values they start with: {@link #tuning}, or one thread a core
   * and two elements.
   */
  public Options tune(boolean whileRunning) {
    Options copy = new Options(this);
    copy.tune = whileRunning;
    return copy;
  }

  /** Starts from what was found good in another run of the same plan: {@link Pipeline#tuning()}. */
  public Options tuning(Tuning found) {
    Options copy = new Options(this);
    copy.tuning = found;
    return copy;
  }

  /** Keeps to what was found good in another run of the same plan, and changes nothing. */
  public Options frozen(Tuning found) {
    return tuning(found).tune(false);
  }

  /**
   * Has every pipeline start from what was found good when the same plan ran before, and leave in
   * the folder what it has found good itself.
   */
  public Options rememberTuning(Path folder) {
    Options copy = new Options(this);
    copy.tuningFolder = folder;
    return copy;
  }

  @Nullable Tuning tuning() {
    return tuning;
  }

  @Nullable Path tuningFolder() {
    if (tuningFolder != null) {
      return tuningFolder;
    }
    Origin origin = Origin.find("tuning.folder");
    return origin == null ? null : Path.of(origin.text);
  }

  /** How many cores computing functions may use. */
  public Options cpuBudget(int cores) {
    Options copy = new Options(this);
    copy.cpuBudget = (long) positive("cpuBudget", cores);
    return copy;
  }

  /** How many platform threads an operator under AUTOTUNE may have. */
  public Options threadLimit(int threads) {
    Options copy = new Options(this);
    copy.threadLimit = (long) positive("threadLimit", threads);
    return copy;
  }

  /** How many virtual threads an operator under AUTOTUNE may have. */
  public Options virtualLimit(int threads) {
    Options copy = new Options(this);
    copy.virtualLimit = (long) positive("virtualLimit", threads);
    return copy;
  }

  /** How many bytes of elements may be on the heap. */
  public Options heapBudget(long bytes) {
    Options copy = new Options(this);
    copy.heapBudget = positive("heapBudget", bytes);
    return copy;
  }

  /** How many bytes of batches may be off the heap. */
  public Options nativeBudget(long bytes) {
    Options copy = new Options(this);
    copy.nativeBudget = positive("nativeBudget", bytes);
    return copy;
  }

  /**
   * How many bytes there may be on the heap and off it together; how they are divided is found by
   * running.
   */
  public Options memoryBudget(long bytes) {
    Options copy = new Options(this);
    copy.memoryBudget = positive("memoryBudget", bytes);
    return copy;
  }

  /**
   * Whether {@code shuffle}, {@code cache()}, {@code unique} and {@code groupByWindow} may write to
   * a temporary file what does not fit the heap budget; they may by default. Where not, they fail
   * with the size they need.
   */
  public Options spill(boolean toDisk) {
    Options copy = new Options(this);
    copy.spill = toDisk;
    return copy;
  }

  /**
   * The folder for temporary files of what does not fit the heap budget; it is made where there is
   * none. By default it is Java's folder for temporary files, or {@code /var/tmp} where that is in
   * memory. The files are deleted when the pipeline is closed, and those of a process that died
   * when the next pipeline is opened.
   */
  public Options spillTo(Path folder) {
    Options copy = new Options(this);
    copy.spillFolder = Objects.requireNonNull(folder, "spillTo: expected a folder, but got null");
    copy.spill = true;
    return copy;
  }

  /**
   * How many bytes of temporary files there may be; four fifths of what is free on their disk by
   * default.
   */
  public Options spillBudget(long bytes) {
    Options copy = new Options(this);
    copy.spillBudget = positive("spillBudget", bytes);
    return copy;
  }

  /** How long the consumer may wait without progress before it is reported who waits for whom. */
  public Options stallAfter(Duration duration) {
    Options copy = new Options(this);
    copy.stallAfter = positive("stallAfter", duration);
    return copy;
  }

  /** How long {@code close()} waits for functions that ignore interruption. */
  public Options closeGrace(Duration duration) {
    Options copy = new Options(this);
    copy.closeGrace = positive("closeGrace", duration);
    return copy;
  }

  /** The clock by which waits and stalls are measured. */
  public Options clock(NanoClock newClock) {
    Options copy = new Options(this);
    copy.clock = newClock;
    return copy;
  }

  /** How many epochs will be read, so that reading ahead can cross from one to the next. */
  public Options epochs(long count) {
    Options copy = new Options(this);
    copy.epochs = count;
    return copy;
  }

  /** What the optimizer has to know of them. */
  Goals goals() {
    return new Goals(
        flag("optimise", optimise, true).isTrue() && !flag("debug", debug, false).isTrue(),
        flag("assume.pure", assumePure, false).isTrue(),
        isDeterministic(),
        epochs,
        rulesOff);
  }

  boolean isDeterministic() {
    return flag("deterministic", deterministic, true).isTrue();
  }

  long epochs() {
    return epochs;
  }

  boolean requiresCheckpoint() {
    return flag("require.checkpoint", requireCheckpoint, false).isTrue();
  }

  private Setting strictBatches() {
    return flag("strict.batches", strictBatches, flag("debug", debug, false).isTrue());
  }

  Settings settings() {
    return new Settings(
        flag("deterministic", deterministic, true).isTrue(),
        flag("debug", debug, false).isTrue(),
        flag("owned.batches", ownedBatches, false).isTrue(),
        strictBatches().isTrue(),
        (int) number("cpu.budget", cpuBudget, Runtime.getRuntime().availableProcessors()).value(),
        (int) number("thread.limit", threadLimit, 256).value(),
        (int) number("virtual.limit", virtualLimit, 4096).value(),
        heapBudget().value(),
        nativeBudget().value(),
        memoryBudget().value(),
        processBudgets(),
        Duration.ofMillis(
            number("stall.after.ms", stallAfter == null ? null : stallAfter.toMillis(), 30_000)
                .value()),
        Duration.ofMillis(
            number("close.grace.ms", closeGrace == null ? null : closeGrace.toMillis(), 10_000)
                .value()),
        clock,
        flag("tune", tune, true).isTrue(),
        spillSpace());
  }

  private SpillSpace spillSpace() {
    Setting folder = spillFolder();
    return new SpillSpace(
        flag("spill", spill, true).isTrue(),
        folder.isTrue() ? Path.of(folder.text()) : null,
        spillBudget().value());
  }

  /** Its value says whether somebody chose it. */
  private Setting spillFolder() {
    if (spillFolder != null) {
      return new Setting("spill.folder", 1, spillFolder.toString(), "code");
    }
    Origin origin = Origin.find("spill.folder");
    if (origin != null) {
      return new Setting("spill.folder", 1, origin.text, origin.where);
    }
    Path usual = SpillSpace.defaultFolder();
    return new Setting(
        "spill.folder", 0, usual == null ? "none on a disk" : usual.toString(), "default");
  }

  private Setting spillBudget() {
    Setting budget = number("spill.budget", spillBudget, 0);
    return budget.value() == 0
        ? new Setting(budget.name(), 0, "4/5 of what is free", budget.origin())
        : budget;
  }

  /** What all pipelines of the process may take: what is set outside of code, or the defaults. */
  private static Settings.Budgets processBudgets() {
    return new Settings.Budgets(
        DEFAULTS.heapBudget().value(),
        DEFAULTS.nativeBudget().value(),
        DEFAULTS.memoryBudget().value());
  }

  private Setting heapBudget() {
    return number("heap.budget", heapBudget, Runtime.getRuntime().maxMemory() / 2);
  }

  private Setting nativeBudget() {
    return number("native.budget", nativeBudget, NativeDefault.BYTES);
  }

  private Setting memoryBudget() {
    long heap = heapBudget().value();
    long apart = heap + Math.min(nativeBudget().value(), Long.MAX_VALUE - heap);
    return number("memory.budget", memoryBudget, apart);
  }

  /** What the linter has to know of them. */
  LintSettings lintSettings() {
    Settings settings = settings();
    return new LintSettings(
        settings.deterministic(),
        settings.debug(),
        requiresCheckpoint(),
        flag("assume.pure", assumePure, false).isTrue(),
        epochs,
        Math.min(settings.heapBudget(), settings.memoryBudget()),
        settings.memoryBudget(),
        settings.spill().refusal() == null);
  }

  /** Every setting with its value and where that comes from. */
  public List<Setting> effective() {
    List<Setting> settings = new ArrayList<>();
    settings.add(flag("deterministic", deterministic, true));
    settings.add(flag("debug", debug, false));
    settings.add(flag("owned.batches", ownedBatches, false));
    settings.add(strictBatches());
    settings.add(flag("require.checkpoint", requireCheckpoint, false));
    settings.add(flag("assume.pure", assumePure, false));
    settings.add(flag("optimise", optimise, true));
    settings.add(flag("tune", tune, true));
    settings.add(number("cpu.budget", cpuBudget, Runtime.getRuntime().availableProcessors()));
    settings.add(number("thread.limit", threadLimit, 256));
    settings.add(number("virtual.limit", virtualLimit, 4096));
    settings.add(heapBudget());
    settings.add(nativeBudget());
    settings.add(memoryBudget());
    settings.add(flag("spill", spill, true));
    settings.add(spillFolder());
    settings.add(spillBudget());
    settings.add(
        number("stall.after.ms", stallAfter == null ? null : stallAfter.toMillis(), 30_000));
    settings.add(
        number("close.grace.ms", closeGrace == null ? null : closeGrace.toMillis(), 10_000));
    return settings;
  }

  /**
   * What is set by a property {@code headrace.*} or a variable {@code HEADRACE_*} of which there is
   * no setting, a line each, with the name that was probably meant.
   */
  public static List<String> unknownSettings() {
    return SettingNames.unknown(System.getProperties().stringPropertyNames(), System.getenv());
  }

  /**
   * One setting.
   *
   * @param name as in the system property {@code headrace.<name>}
   * @param origin {@code code}, the property, the variable, or {@code default}
   */
  public record Setting(String name, long value, String text, String origin) {
    boolean isTrue() {
      return value != 0;
    }
  }

  private static Setting flag(String name, @Nullable Boolean inCode, boolean otherwise) {
    if (inCode != null) {
      return new Setting(name, inCode ? 1 : 0, inCode.toString(), "code");
    }
    Origin origin = Origin.find(name);
    if (origin == null) {
      return new Setting(name, otherwise ? 1 : 0, Boolean.toString(otherwise), "default");
    }
    return switch (origin.text.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> new Setting(name, 1, "true", origin.where);
      case "false", "0", "no", "off" -> new Setting(name, 0, "false", origin.where);
      default ->
          throw new IllegalArgumentException(
              "%s: expected true or false, but got '%s'".formatted(origin.where, origin.text));
    };
  }

  private static Setting number(String name, @Nullable Long inCode, long otherwise) {
    if (inCode != null) {
      return new Setting(name, inCode, inCode.toString(), "code");
    }
    Origin origin = Origin.find(name);
    if (origin == null) {
      return new Setting(name, otherwise, Long.toString(otherwise), "default");
    }
    long value = parse(origin);
    return new Setting(name, value, Long.toString(value), origin.where);
  }

  /** Numbers with an optional unit of bytes: {@code 512}, {@code 256MB}, {@code 2GiB}. */
  private static long parse(Origin origin) {
    String text = origin.text.strip().toUpperCase(Locale.ROOT).replace("IB", "").replace("B", "");
    int shift = 0;
    if (!text.isEmpty()) {
      shift =
          switch (text.charAt(text.length() - 1)) {
            case 'K' -> 10;
            case 'M' -> 20;
            case 'G' -> 30;
            case 'T' -> 40;
            default -> 0;
          };
    }
    try {
      long value = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1).strip());
      return positive(origin.where, Math.multiplyExact(value, 1L << shift));
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "%s: expected a number such as 8 or 256MB, but got '%s'"
              .formatted(origin.where, origin.text));
    }
  }

  private record Origin(String text, String where) {
    static @Nullable Origin find(String name) {
      String property = "headrace." + name;
      String fromProperty = System.getProperty(property);
      if (fromProperty != null) {
        return new Origin(fromProperty, "property " + property);
      }
      String variable = "HEADRACE_" + name.toUpperCase(Locale.ROOT).replace('.', '_');
      String fromVariable = System.getenv(variable);
      return fromVariable == null ? null : new Origin(fromVariable, "variable " + variable);
    }
  }

  private static long positive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + ": expected at least 1, but got " + value);
    }
    return value;
  }

  private static Duration positive(String name, Duration value) {
    if (value.toMillis() < 1) {
      throw new IllegalArgumentException(name + ": expected at least 1 ms, but got " + value);
    }
    return value;
  }

  private static int positive(String name, int value) {
    return (int) positive(name, (long) value);
  }

  /** What the machine, or the container, has beside the heap, less a reserve; asked once. */
  private static final class NativeDefault {
    static final long BYTES = bytes();

    private static long bytes() {
      long least = 256L << 20;
      try {
        if (ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean machine) {
          long total = machine.getTotalMemorySize();
          long reserve = Math.max(512L << 20, total / 8);
          return Math.max(least, total - Runtime.getRuntime().maxMemory() - reserve);
        }
      } catch (LinkageError e) {
        return least; // a runtime image without management
      }
      return least;
    }
  }
}
