package dev.headrace.profile;

import dev.headrace.data.Plural;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says that other programs take cores from a pipeline, where that costs it time. */
final class Busy {
  /** Others that use less of the cores are what any machine does beside. */
  private static final double OTHERS = 0.1;

  private static final double LEAST_CORES = 0.2;

  private Busy() {}

  /** "The machine is busy: other programs take 1.1 of its 2 cores (…)."; null where it is not. */
  static @Nullable String sentence(Profile profile, boolean coresLimit) {
    Profile.Machine machine = profile.machine();
    Ready ready = Ready.of(profile.operators(), profile.consumer());
    if (!hasOthers(machine) || !(coresLimit || ready.lackedCores())) {
      return null;
    }
    String programs =
        machine.programs().stream()
            .map(each -> String.format(Locale.ROOT, "%s %.1f", each.name(), each.cores()))
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "The machine is busy: other programs take %.1f of its %s%s.",
        machine.otherCores(),
        Plural.of(Math.round(machine.cores()), "core"),
        programs.isEmpty() ? "" : " (" + programs + ")");
  }

  /** Whether other programs use more of the cores than any machine's do. */
  static boolean hasOthers(Profile.Machine machine) {
    return machine.otherCores() >= Math.max(LEAST_CORES, OTHERS * machine.cores());
  }

  /** What that means for the pipeline. */
  static String evidence(Profile profile, Model model) {
    return String.format(
        Locale.ROOT,
        "its threads were ready without a core %.0f %% of their time; predictions count on the %.1f"
            + " cores that are left to it",
        100 * Ready.of(profile.operators(), profile.consumer()).share(),
        model.cores());
  }
}
