package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.PipelineStats;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs what is to be examined, and keeps the diagnoses. */
final class Examination {
  /** Pipelines of a program that ran shorter are told about only if there is no other. */
  private static final double LEAST_SECONDS = 0.5;

  private final LoopOptions loop;
  private final Progress progress;
  private final PrintWriter err;
  private final List<PipelineWatch.Seen> told = new ArrayList<>();
  private final List<Trial> trials = new ArrayList<>();
  private int untold;
  private String name = "";
  private @Nullable Dataset<?> dataset;
  private volatile @Nullable PipelineWatch watch;

  Examination(LoopOptions loop, Progress progress, PrintWriter err) {
    this.loop = loop;
    this.progress = progress;
    this.err = err;
  }

  /** The diagnosis of each pipeline that is told about, as the program was written. */
  List<Diagnosis> diagnoses() {
    return told.stream().map(PipelineWatch.Seen::diagnosis).toList();
  }

  /** The pipelines that are told about. */
  List<PipelineWatch.Seen> pipelines() {
    return told;
  }

  /** How many pipelines ran too shortly to tell about them. */
  int untold() {
    return untold;
  }

  /** The changes that were made. */
  List<Trial> trials() {
    return trials;
  }

  /** What became of the only pipeline; asked where there were changes. */
  Treatment treatment() {
    return new Treatment(told.getFirst().diagnosis(), trials);
  }

  // ---- a dataset --------------------------------------------------------------------------------

  /** Examines a dataset. */
  int examine(String datasetName, Dataset<?> what) {
    name = datasetName;
    dataset = what;
    List<PipelineWatch.Seen> seen = new ArrayList<>();
    int code = run(what, "measuring", seen);
    told.addAll(seen);
    return code;
  }

  private int run(Dataset<?> what, String doing, List<PipelineWatch.Seen> seen) {
    try (PipelineWatch own = watch(one -> {})) {
      int code =
          DatasetLoop.consume(
              name,
              what,
              loop,
              progress,
              err,
              () -> progress.show(() -> doing + ": " + own.line()));
      // A function of the dataset may open others; its own is the first.
      own.finish().stream().findFirst().ifPresent(seen::add);
      return code;
    }
  }

  /**
   * Makes a change that was advised and measures again; goes on if asked. What did not help is
   * taken back.
   */
  int treat(boolean all, Consumer<Trial> listener) {
    Dataset<?> now = dataset;
    if (told.isEmpty() || now == null) {
      return Main.OK;
    }
    for (Optional<Advice> next = treatment().next();
        next.isPresent() && (all || trials.isEmpty());
        next = treatment().next()) {
      Dataset<?> changed = now.with(next.get());
      List<PipelineWatch.Seen> seen = new ArrayList<>();
      int code = run(changed, next.get().title(), seen);
      progress.clear();
      if (code != Main.OK || seen.isEmpty()) {
        return code;
      }
      Trial trial = new Trial(next.get(), treatment().after(), seen.getFirst().diagnosis());
      trials.add(trial);
      listener.accept(trial);
      now = trial.helped() ? changed : now;
    }
    return Main.OK;
  }

  // ---- a program --------------------------------------------------------------------------------

  /** Runs a program and examines its pipelines; tells of each when it closes. */
  int examine(
      UserProgram.MainTarget program, boolean isQuiet, Consumer<PipelineWatch.Seen> listener) {
    try (PipelineWatch own =
        watch(
            seen -> {
              if (seen.seconds() >= LEAST_SECONDS) {
                tell(seen, listener);
              }
            })) {
      ProgramRun.Outcome outcome =
          ProgramRun.run(
              program, loop.seconds(), isQuiet, progress, () -> progress.show(own::line));
      progress.clear();
      for (PipelineWatch.Seen left : longestFirst(own.finish())) {
        if (!told.contains(left)) {
          if (told.isEmpty() || left.seconds() >= LEAST_SECONDS) {
            tell(left, listener);
          } else {
            untold++;
          }
        }
      }
      int code = ProgramEnd.code(program, outcome, err);
      return code == Main.FAILED ? Main.USAGE : code;
    }
  }

  private static List<PipelineWatch.Seen> longestFirst(List<PipelineWatch.Seen> seen) {
    return seen.stream().sorted((a, b) -> Double.compare(b.seconds(), a.seconds())).toList();
  }

  private synchronized void tell(PipelineWatch.Seen seen, Consumer<PipelineWatch.Seen> listener) {
    told.add(seen);
    progress.clear();
    listener.accept(seen);
  }

  private PipelineWatch watch(Consumer<PipelineWatch.Seen> closed) {
    PipelineWatch now = new PipelineWatch(closed);
    watch = now;
    return now;
  }

  /** What the pipelines that are open have done so far; for any thread. */
  List<PipelineStats> stats() {
    PipelineWatch now = watch;
    return now == null ? List.of() : now.stats();
  }
}
