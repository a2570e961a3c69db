package dev.headrace.report;

import java.util.Comparator;
import java.util.List;

/** Which operators take the time of one delivered element. */
final class CostSection {
  private static final int MOST = 10;

  private CostSection() {}

  static Markup of(List<OpView> views) {
    List<OpView> costly =
        views.stream()
            .filter(view -> cost(view) > 0)
            .sorted(Comparator.comparingDouble(view -> -cost(view)))
            .limit(MOST)
            .toList();
    if (costly.isEmpty()) {
      return Markup.NONE;
    }
    double all = views.stream().mapToDouble(CostSection::cost).sum();
    double most = cost(costly.getFirst());
    return Markup.of(
        """
        <section>
        <h2>Where the time goes</h2>
        <p class="note">For one element that the training loop gets, summed over all threads: {}.</p>
        <table class="plain cost">
        {}
        </table>
        </section>
        """,
        Figures.time(all),
        Markup.join(costly.stream().map(view -> row(view, most, all)).toList()));
  }

  private static double cost(OpView view) {
    return OpView.orZero(view.op().nsPerDelivered());
  }

  private static Markup row(OpView view, double most, double all) {
    return Markup.of(
        """
        <tr><th scope="row"><bdi>{}</bdi></th><td class="right">{}</td><td class="right soft">{}</td>\
        <td class="bar"><svg viewBox="0 0 400 12" preserveAspectRatio="none" aria-hidden="true">{}</svg></td></tr>\
        """,
        Figures.cut(view.op().path(), 80),
        Figures.time(cost(view)),
        Figures.percent(cost(view) / all),
        Bars.cost(view, 400, 12, most));
  }
}
