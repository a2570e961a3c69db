package dev.headrace.report;

import dev.headrace.data.Plural;
import dev.headrace.profile.OpProfile;

/** What is said about an operator when it is pointed at. */
final class Tips {
  private static final int LONGEST = 300;

  private Tips() {}

  static String of(OpView view) {
    OpProfile op = view.op();
    StringBuilder text = new StringBuilder(Figures.cut(op.path(), LONGEST));
    if (!op.description().isEmpty() && !op.description().equals(op.path())) {
      text.append('\n').append(Figures.cut(op.description(), LONGEST));
    }
    line(text, Plural.of(op.elements(), "element") + ", " + Figures.rate(view.rate()) + "/s");
    line(
        text,
        Figures.time(op.ns())
            + " each: "
            + Figures.percent(view.computing())
            + " computing, "
            + Figures.percent(view.waiting())
            + " waiting, "
            + Figures.percent(view.starved())
            + " without a core");
    OpProfile.Crew crew = op.crew();
    if (crew != null) {
      line(text, view.crewText() + ", each busy " + Figures.percent(crew.busy()));
      line(
          text,
          "buffer "
              + Figures.few(crew.fill())
              + " of "
              + Figures.count(crew.capacity())
              + ", found empty by "
              + Figures.percent(crew.empty())
              + " of the pulls");
    }
    OpProfile.Transfer transfer = op.transfer();
    if (transfer != null) {
      line(
          text,
          "to "
              + transfer.device()
              + (transfer.isPinned() ? " from pinned memory, " : ", ")
              + Figures.time(transfer.busNs())
              + " on the bus");
    }
    if (op.failures() > 0) {
      line(text, Plural.of(op.failures(), "failure"));
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String line) {
    text.append('\n').append(line);
  }
}
