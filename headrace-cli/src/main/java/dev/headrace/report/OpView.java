package dev.headrace.report;

import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import java.util.ArrayList;
import java.util.List;

/**
 * One operator with the numbers that the page shows of it.
 *
 * @param line of the user's program, or the name the user gave it, or nothing
 * @param owner the index of the operator on whose threads it runs, −1 for the consumer's thread
 * @param rate its elements a second
 * @param threads how many threads were inside it, on average
 * @param utilisation the share of time its workers, or the thread that runs it, were inside it
 * @param computing of the time inside it, and {@code waiting} for something other than a core
 * @param intake how many elements of its input go into one of its own, NaN where that is unknown
 */
record OpView(
    int index,
    OpProfile op,
    String name,
    String line,
    int owner,
    double rate,
    double threads,
    double utilisation,
    double computing,
    double waiting,
    double intake) {

  static List<OpView> all(Profile profile) {
    List<OpProfile> operators = profile.operators();
    double[] perDeliveredOfInput = new double[operators.size()];
    int[] inputs = new int[operators.size()];
    for (int i = 0; i < operators.size(); i++) {
      int by = pulledBy(operators, i);
      if (by >= 0) {
        perDeliveredOfInput[by] += operators.get(i).perDelivered();
        inputs[by]++;
      }
    }
    List<OpView> views = new ArrayList<>();
    for (int i = 0; i < operators.size(); i++) {
      OpProfile op = operators.get(i);
      double intake =
          inputs[i] == 1 && op.perDelivered() > 0
              ? perDeliveredOfInput[i] / op.perDelivered()
              : Double.NaN;
      views.add(of(i, op, profile.seconds(), operators, intake));
    }
    return views;
  }

  private static OpView of(
      int index, OpProfile op, double seconds, List<OpProfile> operators, double intake) {
    OpProfile.Crew crew = op.crew();
    double rate = seconds > 0 ? op.elements() / seconds : 0;
    double threads = rate * op.ns() / 1e9;
    boolean isRunByOther = op.runBy() >= 0 && op.runBy() < operators.size();
    int owner = crew != null ? index : isRunByOther ? op.runBy() : -1;
    return new OpView(
        index,
        op,
        name(op),
        line(op),
        owner,
        rate,
        orZero(threads),
        share(threads / workers(op, operators)),
        share(op.cpuNs() / op.ns()),
        share(op.waitNs() / op.ns()),
        intake);
  }

  /** How many threads it may be inside of: its own, or those that do later what it left to do. */
  private static double workers(OpProfile op, List<OpProfile> operators) {
    OpProfile.Later later = op.later();
    OpProfile.Crew crew = op.crew();
    if (later != null && later.at() >= 0 && later.at() < operators.size()) {
      crew = operators.get(later.at()).crew();
    }
    return crew == null ? 1 : Math.max(1, orZero(crew.workers()));
  }

  /** The part of its time in which it could have computed but had no core. */
  double starved() {
    return Math.max(0, 1 - computing - waiting);
  }

  /** The index of the operator that pulls it; −1 too where the number makes no sense. */
  static int pulledBy(List<OpProfile> operators, int index) {
    int by = operators.get(index).pulledBy();
    return by >= 0 && by < index ? by : -1;
  }

  /** The name the user gave it: {@code decode} of {@code map 'decode' (Train.java:17)}. */
  private static String name(OpProfile op) {
    String start = op.word() + " '";
    int end = op.path().lastIndexOf('\'');
    return op.path().startsWith(start) && end > start.length()
        ? op.path().substring(start.length(), end)
        : "";
  }

  private static String line(OpProfile op) {
    String path = op.path();
    int open = path.lastIndexOf('(');
    return open > 0 && path.endsWith(")") ? path.substring(open + 1, path.length() - 1) : "";
  }

  static double share(double value) {
    return Double.isFinite(value) ? Math.clamp(value, 0, 1) : 0;
  }

  static double orZero(double value) {
    return Double.isFinite(value) ? Math.max(0, value) : 0;
  }

  /** The threads that run it, in words. */
  String crewText() {
    OpProfile.Crew crew = op.crew();
    if (crew == null) {
      return "";
    }
    return workersText() + (crew.isTuned() ? ", tuned" : "");
  }

  /** Without saying who chose their number. */
  String workersText() {
    OpProfile.Crew crew = op.crew();
    String workers = crew == null ? "0" : Figures.few(crew.workers());
    return workers.equals("1") ? "1 worker" : workers + " workers";
  }
}
