package dev.headrace.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What became of a pipeline to which changes were made, one after the other: those that helped were
 * kept, the others taken back. Whatever tells of changes tells it from here.
 *
 * @param before how the pipeline was before any of them
 * @param trials all changes that were tried, in that order
 */
public record Treatment(Diagnosis before, List<Trial> trials) {
  private static final int MOST_TRIALS = 8;

  public Treatment {
    trials = List.copyOf(trials);
  }

  /** Before any change was tried. */
  public static Treatment of(Diagnosis before) {
    return new Treatment(before, List.of());
  }

  /** With one more change that was tried. */
  public Treatment with(Trial trial) {
    List<Trial> more = new ArrayList<>(trials);
    more.add(trial);
    return new Treatment(before, more);
  }

  /**
   * The change to try next: of what is advised for the pipeline as it is now, the first that was
   * not tried in vain since it is so. After a change that helped, others may help that did not
   * before.
   */
  public Optional<Advice> next() {
    if (trials.size() >= MOST_TRIALS) {
      return Optional.empty();
    }
    List<Trial> kept = kept();
    List<Trial> inVain =
        trials.subList(kept.isEmpty() ? 0 : trials.lastIndexOf(kept.getLast()) + 1, trials.size());
    return after().advice().stream()
        .filter(Advice::isApplicable)
        .filter(
            each ->
                inVain.stream()
                    .map(Trial::advice)
                    .noneMatch(
                        tried -> tried.action() == each.action() && tried.key().equals(each.key())))
        .findFirst();
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
