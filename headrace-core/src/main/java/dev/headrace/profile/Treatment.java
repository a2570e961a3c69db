package dev.headrace.profile;

import java.util.List;
import java.util.Locale;

/**
 * What became of a pipeline to which changes were made, one after the other: those that helped were
 * kept, the others taken back. Whatever tells of changes tells it from here.
 *
 * @param before how the pipeline was before any of them
 * @param trials all changes that were tried, in that order
 */
public record Treatment(Diagnosis before, List<Trial> trials) {
  public Treatment {
    trials = List.copyOf(trials);
  }

  /** The changes that helped and were kept. */
  public List<Trial> kept() {
    return trials.stream().filter(Trial::helped).toList();
  }

  /** How the pipeline is with the changes that were kept. */
  public Diagnosis after() {
    List<Trial> kept = kept();
    return kept.isEmpty() ? before : kept.getLast().after();
  }

  /** How many times as fast it is with the changes that were kept; 1 where none was. */
  public double gain() {
    double rate = before.profile().rate();
    return kept().isEmpty() || rate <= 0 ? 1 : after().profile().rate() / rate;
  }

  /** "1 of 3 changes helped and was kept; the others were taken back". */
  public String summary() {
    int all = trials.size();
    int kept = kept().size();
    if (all == 0) {
      return "nothing was changed";
    }
    if (all == 1) {
      return kept == 1 ? trials.getFirst().advice().title() : "it did not help, and was taken back";
    }
    if (kept == 0) {
      return String.format(Locale.ROOT, "none of %d changes helped, and all were taken back", all);
    }
    return kept == all
        ? String.format(Locale.ROOT, "%d changes", all)
        : String.format(
            Locale.ROOT,
            "%d of %d changes helped and %s kept; the %s taken back",
            kept,
            all,
            kept == 1 ? "was" : "were",
            all - kept == 1 ? "other was" : "others were");
  }
}
