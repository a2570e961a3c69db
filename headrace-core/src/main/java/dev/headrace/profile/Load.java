package dev.headrace.profile;

/**
 * What something costs for one element that the consumer gets, if it had a core whenever it wanted.
 *
 * @param cpuNs computing
 * @param waitNs waiting for something else
 */
record Load(double cpuNs, double waitNs) {
  static final Load NONE = new Load(0, 0);

  double ns() {
    return cpuNs + waitNs;
  }

  Load plus(Load other) {
    return new Load(cpuNs + other.cpuNs, waitNs + other.waitNs);
  }

  Load times(double factor) {
    return new Load(cpuNs * factor, waitNs * factor);
  }
}
