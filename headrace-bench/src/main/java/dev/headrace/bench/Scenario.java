package dev.headrace.bench;

import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.stream.Stream;

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

  /** All scenarios, and those that other jars on the class path provide as services. */
  static List<Scenario> available() {
    return Stream.concat(
            all().stream(), ServiceLoader.load(Scenario.class).stream().map(Provider::get))
        .toList();
  }

  /** All scenarios of this module, in the order in which they are listed. */
  static List<Scenario> all() {
    return List.of(
        new Overhead(),
        new Scaling(),
        new Operators(),
        new Spilling(),
        new Records(),
        new Examples(),
        new JpegTraining(),
        new DoctorBench(),
        new MlperfStorage(),
        new AutotuneBench(),
        new DeviceBench());
  }
}
