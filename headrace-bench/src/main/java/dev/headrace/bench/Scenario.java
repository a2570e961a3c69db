package dev.headrace.bench;

import java.io.IOException;
import java.util.List;

/** A set of measurements that is run together and reported in one table. */
public interface Scenario {
  /** What users call it on the command line. */
  String name();

  /** What it measures, in a line. */
  String summary();

  /** Measures. */
  List<Row> run(Setup setup) throws IOException, InterruptedException;

  /** What a reader of the rows should know, after a run. */
  default List<String> notes() {
    return List.of();
  }

  /** All scenarios, in the order in which they are listed. */
  static List<Scenario> all() {
    return List.of(
        new Overhead(),
        new Scaling(),
        new Operators(),
        new Records(),
        new Examples(),
        new JpegTraining(),
        new DoctorBench(),
        new MlperfStorage());
  }
}
