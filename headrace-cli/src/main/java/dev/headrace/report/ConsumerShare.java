package dev.headrace.report;

import dev.headrace.profile.Profile;
import dev.headrace.profile.Verdict;

/** What the training loop did with its time, as shares of it. */
record ConsumerShare(double step, double waiting) {

  static ConsumerShare of(Profile.Consumer consumer) {
    double waiting = OpView.share(consumer.waitShare());
    boolean isKnown = consumer.stepNs() + consumer.insideNs() > 0;
    return new ConsumerShare(isKnown ? 1 - waiting : 0, waiting);
  }

  /** Whether the training step is what limits. */
  static boolean isLimit(Verdict verdict) {
    return verdict.kind() == Verdict.Kind.CONSUMER_BOUND && verdict.operator() < 0;
  }
}
