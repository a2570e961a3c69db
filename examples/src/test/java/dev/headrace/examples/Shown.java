package dev.headrace.examples;

import dev.headrace.examples.Comparison.Looks;
import dev.headrace.profile.Advice;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a program printed, and what it gave. */
record Shown<T>(String text, T result) {
  /** Short looks: tests do not read the figures. */
  static final Looks SHORT = new Looks(1, 1.2);

  interface Program<T> {
    T run() throws Exception;
  }

  interface Procedure {
    void run() throws Exception;
  }

  static List<Advice.Action> advised(Comparison.Outcome outcome) {
    return outcome.diagnosis().advice().stream().map(Advice::action).toList();
  }

  static boolean nothing(Procedure procedure) throws Exception {
    procedure.run();
    return true;
  }

  static <T> Shown<T> shown(Program<T> program) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      T result = program.run();
      return new Shown<>(bytes.toString(StandardCharsets.UTF_8), result);
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      System.setOut(before);
    }
  }
}
