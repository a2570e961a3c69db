package dev.headrace.cli;

import org.jspecify.annotations.Nullable;

/** The entry of the {@code headrace} command. */
public final class Main {
  private Main() {}

  /** Runs the command. */
  public static void main(String[] args) {
    System.out.println("headrace " + version());
  }

  private static String version() {
    @Nullable String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
