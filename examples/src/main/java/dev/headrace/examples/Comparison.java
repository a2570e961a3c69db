package dev.headrace.examples;

import dev.headrace.Dataset;
import dev.headrace.Doctor;
import dev.headrace.TrainingStep;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Finding;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import dev.headrace.profile.Verdict;
import dev.headrace.testing.SyntheticStep;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Forms of one program, each run in turn with its training step, and what limits them.
 *
 * <p>The forms are looked at one after the other, and that several times over, so that what else
 * the machine does strikes all of them; of the looks at a form, the one of middle speed is shown.
 */
final class Comparison {
  private static final double WARM_UP_SECONDS = 0.25;

  private final List<Form<?>> forms = new ArrayList<>();

  private record Form<T>(String name, Dataset<T> dataset, TrainingStep<? super T> step) {
    Diagnosis look(double seconds) throws Exception {
      return Doctor.of(dataset).step(step).seconds(seconds).examine();
    }
  }

  /**
   * How much time to take.
   *
   * @param rounds how often to look at each form
   * @param seconds for everything
   */
  record Looks(int rounds, double seconds) {
    /** What a person waits for. */
    static final Looks USUAL = new Looks(3, 8);
  }

  /**
   * What one form did.
   *
   * @param looks the diagnosis of each round
   */
  record Outcome(String name, List<Diagnosis> looks) {
    /** The look of middle speed. */
    Diagnosis diagnosis() {
      List<Diagnosis> bySpeed = new ArrayList<>(looks);
      bySpeed.sort(Comparator.comparingDouble(each -> each.profile().rate()));
      return bySpeed.get(bySpeed.size() / 2);
    }

    /** Elements a second, as the training loop got them. */
    double rate() {
      return diagnosis().profile().rate();
    }

    Verdict verdict() {
      return diagnosis().verdict();
    }

    /** The share of its time that the training loop waited, in percent. */
    double waitedPercent() {
      return 100 * verdict().waitShare();
    }

    /** What was copied to a device for one element. */
    OpProfile.Transfer transfer() {
      for (OpProfile operator : diagnosis().profile().operators()) {
        OpProfile.Transfer transfer = operator.transfer();
        if (transfer != null) {
          return transfer;
        }
      }
      throw new IllegalStateException(name + ": expected an operator that copies to a device");
    }

    /** What the diagnosis says of prefetching to the device: that it helps, or why it does not. */
    String saidOfDevice() {
      return diagnosis().findings().stream()
          .filter(finding -> finding.rule().startsWith("device-prefetch"))
          .map(Finding::message)
          .findFirst()
          .orElse("nothing");
    }

    /** The most memory that the pipeline held at once, in MB. */
    double megabytes() {
      Profile.Memory memory = diagnosis().profile().memory();
      return (memory.heapPeak() + memory.nativePeak()) / 1e6;
    }
  }

  /** Adds a form whose training step is on an accelerator: the loop waits for it. */
  <T> Comparison form(String name, Dataset<T> dataset, Duration step) {
    return form(name, dataset, SyntheticStep.waiting(step));
  }

  /** Adds a form. */
  <T> Comparison form(String name, Dataset<T> dataset, TrainingStep<? super T> step) {
    forms.add(new Form<>(name, dataset, step));
    return this;
  }

  /** Runs all forms. */
  Result run(Looks looks) throws Exception {
    List<List<Diagnosis>> seen = new ArrayList<>();
    for (Form<?> form : forms) {
      Diagnosis _ = form.look(Math.min(WARM_UP_SECONDS, looks.seconds / forms.size()));
      seen.add(new ArrayList<>());
    }
    for (int round = 0; round < looks.rounds; round++) {
      for (int i = 0; i < forms.size(); i++) {
        seen.get(i).add(forms.get(i).look(looks.seconds / looks.rounds / forms.size()));
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < forms.size(); i++) {
      outcomes.add(new Outcome(forms.get(i).name, List.copyOf(seen.get(i))));
    }
    return new Result(outcomes);
  }

  /** What all forms did, in the order they were added. */
  record Result(List<Outcome> outcomes) {
    Outcome of(String name) {
      return outcomes.stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
    }

    /** How many times as fast one form is as another, by the rates that are shown of both. */
    double times(String form, String than) {
      return of(form).rate() / of(than).rate();
    }

    /** Shows every diagnosis, a table, and what follows from it. */
    void print(PrintStream out, String... conclusions) {
      for (Outcome outcome : outcomes) {
        out.println(outcome.name);
        out.println(outcome.diagnosis().toString().indent(2));
      }
      int width = outcomes.stream().mapToInt(each -> each.name.length()).max().orElse(0);
      String row = "%-" + width + "s  %11s  %9s  %7s  %9s  %s%n";
      out.printf(row, "", "elements/s", "", "waited", "memory", "");
      for (Outcome outcome : outcomes) {
        out.printf(
            row,
            outcome.name,
            text(outcome.rate() < 100 ? "%.1f" : "%,.0f", outcome.rate()),
            text("x %.2f", outcome.rate() / outcomes.getFirst().rate()),
            text("%.0f %%", outcome.waitedPercent()),
            text("%.1f MB", outcome.megabytes()),
            outcome.verdict().kind().words());
      }
      conclude(out, conclusions);
    }

    private static String text(String format, double value) {
      return String.format(Locale.ROOT, format, value);
    }
  }

  /** Ends a program: what was measured, in sentences. */
  static void conclude(PrintStream out, String... conclusions) {
    out.println();
    for (String conclusion : conclusions) {
      out.println("So: " + conclusion);
    }
  }

  /** A time as people say it. */
  static String time(double ns) {
    return ns < 1e5 ? sentence("%.1f µs", ns / 1e3) : sentence("%.2f ms", ns / 1e6);
  }

  /** A sentence with numbers, written the same everywhere. */
  static String sentence(String format, Object... numbers) {
    return String.format(Locale.ROOT, format, numbers);
  }
}
