package dev.headrace.profile;

/**
 * What one element costs in a {@link PipelineSimulation}: first the waiting (reading, sleeping, a
 * device), then the cores.
 */
record SimulatedCost(SimulatedTime waiting, SimulatedTime cpu) {
  static final SimulatedCost NONE = new SimulatedCost(SimulatedTime.NONE, SimulatedTime.NONE);

  static SimulatedCost cpu(SimulatedTime time) {
    return new SimulatedCost(SimulatedTime.NONE, time);
  }

  static SimulatedCost waiting(SimulatedTime time) {
    return new SimulatedCost(time, SimulatedTime.NONE);
  }
}
