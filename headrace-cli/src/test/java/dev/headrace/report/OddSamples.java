package dev.headrace.report;

import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Finding;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Profile;
import dev.headrace.profile.Trial;
import dev.headrace.profile.Verdict;
import java.util.ArrayList;
import java.util.List;

/** Diagnoses that no one hopes for: hostile names, no data, no numbers, very many operators. */
final class OddSamples {
  private OddSamples() {}

  /** One text wherever a text can be. */
  static Diagnosis everywhere(String text) {
    return of(text, 4, 1);
  }

  static Trial trial(String text) {
    Diagnosis diagnosis = everywhere(text);
    return new Trial(diagnosis.advice().getFirst(), diagnosis, diagnosis);
  }

  /** One number wherever a number with a fraction can be. */
  static Diagnosis numbers(double number) {
    return of("map (Train.java:1)", 4, number);
  }

  static Diagnosis many(int operators) {
    return of(
        "mapWithAVeryLongName (com/acme/deep/down/VeryLongClassName.java:1234)", operators, 1);
  }

  /** A pipeline that was opened and closed. */
  static Diagnosis nothing() {
    return new Diagnosis(
        new Verdict(Verdict.Kind.BALANCED, -1, "", "Nothing was delivered.", List.of(), 0, 0),
        List.of(),
        List.of(),
        new Profile(
            0,
            0,
            0,
            0,
            0,
            new Profile.Consumer(0, 0, 0, 0, 0, new double[0], new double[0]),
            new Profile.Machine(0, 0, 0, 0, 0, 0, 0),
            new Profile.Memory(0, 0, 0, 0, 0, 0, Long.MAX_VALUE),
            List.of(),
            List.of()),
        "");
  }

  private static OpProfile.Crew crew(double number) {
    return new OpProfile.Crew(
        new OpProfile.Size(number, true, number),
        new OpProfile.Buffer(8, true, number, number),
        new OpProfile.Pull(number, number),
        new OpProfile.Work(number, number, number, number, number, new double[] {number}, 0),
        new double[0]);
  }

  private static Diagnosis of(String text, int operators, double number) {
    List<OpProfile> all = new ArrayList<>();
    for (int i = 0; i < operators; i++) {
      boolean isBranch = i > 2 && i % 7 == 0;
      all.add(
          new OpProfile(
              new OpProfile.Place(
                  "0" + ".0".repeat(i),
                  isBranch ? i - 3 : i - 1,
                  i % 5 == 1 ? i : i / 5 * 5 - 4,
                  text,
                  text,
                  text,
                  i == operators - 1),
              new OpProfile.Output(100, 3, number),
              new OpProfile.Times(number, number, number),
              new OpProfile.Sizes(number, number),
              i == 3 ? new OpProfile.Later(number, number, number, 1) : null,
              i % 5 == 1 ? crew(number) : null,
              i == 1
                  ? new OpProfile.Transfer(
                      text,
                      true,
                      new OpProfile.TransferTimes(number, number, number, number, number),
                      number,
                      new OpProfile.Room(1, 2, false))
                  : null));
    }
    double[] some = {number, number, number};
    List<Profile.Moment> moments = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      moments.add(
          new Profile.Moment(
              Double.isFinite(number) ? i : number,
              number,
              0,
              9,
              number,
              some,
              new int[] {1},
              5,
              5,
              number));
    }
    return new Diagnosis(
        new Verdict(Verdict.Kind.INPUT_BOUND, 1, text, text, List.of(text, text), number, number),
        List.of(
            new Advice(
                Advice.Action.CACHE,
                0,
                "0",
                text,
                text,
                text,
                number,
                number,
                text,
                Long.MIN_VALUE,
                true,
                List.of(text))),
        List.of(
            new Finding(Finding.Severity.PROBLEM, text, text, text, List.of(text), text),
            new Finding(Finding.Severity.NOTE, text, text, text, List.of(), text)),
        new Profile(
            number,
            10,
            number,
            number,
            1,
            new Profile.Consumer(number, number, number, number, number, some, some),
            new Profile.Machine(number, number, number, number, 1, 1, 1),
            new Profile.Memory(1, 2, Long.MAX_VALUE, 1, 2, 0, 64L << 20),
            all,
            moments),
        text);
  }
}
