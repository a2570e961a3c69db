package dev.headrace.runtime;

import dev.headrace.tune.Switch;

/** The threads that an operator has only if they help. */
record CrewSwitch(Place place, WorkerCrew crew) implements Switch {
  @Override
  public String key() {
    return place.key;
  }

  @Override
  public String operator() {
    return place.path;
  }

  @Override
  public boolean onlyReadsAhead() {
    return place.onlyPulls;
  }

  @Override
  public boolean isOn() {
    return !crew.isDormant();
  }

  @Override
  public void turn(boolean on) {
    WorkerCrew current = place.crew; // another epoch may have begun meanwhile
    (current == null ? crew : current).engage(on);
  }
}
