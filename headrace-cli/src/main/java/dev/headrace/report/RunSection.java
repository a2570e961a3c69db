package dev.headrace.report;

import dev.headrace.data.Plural;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.List;

/** The machine, the versions, the command and the plan. */
final class RunSection {
  private RunSection() {}

  static Markup of(Diagnosis diagnosis, Circumstances here) {
    return Markup.of(
        """
        <section>
        <details open><summary><h2>The run</h2></summary>
        <dl class="facts">
        {}
        </dl>
        <h3>The plan</h3>
        <pre class="plan">{}</pre>
        </details>
        </section>
        """,
        Markup.join(facts(diagnosis.profile(), here)),
        diagnosis.plan());
  }

  private static List<Markup> facts(Profile profile, Circumstances here) {
    Profile.Machine machine = profile.machine();
    Profile.Memory memory = profile.memory();
    List<Markup> facts = new ArrayList<>();
    fact(facts, "date", here.date());
    fact(facts, "command", here.command());
    fact(facts, "Headrace", here.headrace());
    fact(facts, "Java", here.java());
    fact(facts, "system", here.system());
    fact(facts, "processor", here.processor());
    fact(
        facts,
        "cores",
        Figures.few(machine.cores())
            + ": this process used "
            + Figures.few(machine.processCores())
            + ", others "
            + Figures.few(machine.otherCores()));
    fact(
        facts,
        "Java heap",
        Figures.bytes(machine.liveBytes())
            + " in use after the last collection, of "
            + Figures.bytes(machine.heapBytes()));
    fact(
        facts,
        "garbage collector",
        Figures.percent(machine.gcShare())
            + " of the time, "
            + Plural.of(machine.collections(), "collection"));
    fact(
        facts,
        "pipeline, heap",
        budget(memory.heapBytes(), memory.heapPeak(), memory.heapBudget()));
    fact(
        facts,
        "pipeline, off heap",
        budget(memory.nativeBytes(), memory.nativePeak(), memory.nativeBudget()));
    if (memory.togetherBudget() < Long.MAX_VALUE) {
      fact(facts, "pipeline, both", "at most " + Figures.bytes(memory.togetherBudget()));
    }
    fact(
        facts,
        "looked at",
        Figures.seconds(profile.seconds())
            + " of "
            + Figures.seconds(profile.totalSeconds())
            + ", "
            + Figures.count(profile.epochs())
            + (profile.epochs() == 1 ? " epoch" : " epochs")
            + "; "
            + Figures.seconds(profile.startSeconds())
            + " to the first element");
    return facts;
  }

  private static String budget(long now, long peak, long budget) {
    return Figures.bytes(now)
        + ", at most "
        + Figures.bytes(peak)
        + (budget > 0 ? " of " + Figures.bytes(budget) : "");
  }

  private static void fact(List<Markup> facts, String name, String value) {
    if (!value.isBlank()) {
      facts.add(Markup.of("<dt>{}</dt><dd><bdi>{}</bdi></dd>", name, value));
    }
  }
}
