package dev.headrace.report;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What this machine is called. */
final class HostNames {
  private HostNames() {}

  /** All its names, the longest first, so that replacing one leaves no rest of another. */
  static List<String> ofThisMachine() {
    Set<String> names = new LinkedHashSet<>();
    for (String variable : List.of("HOSTNAME", "COMPUTERNAME")) {
      add(names, Objects.requireNonNullElse(System.getenv(variable), ""));
    }
    try {
      add(names, Files.readString(Path.of("/etc/hostname")).strip());
    } catch (IOException e) {
      // not every system has the file
    }
    try {
      add(names, InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException e) {
      // a machine that does not know its own name cannot have leaked it
    }
    List<String> sorted = new ArrayList<>(names);
    sorted.sort(Comparator.comparing(String::length).reversed());
    return sorted;
  }

  private static void add(Set<String> names, String name) {
    if (!name.isBlank()) {
      names.add(name);
      int dot = name.indexOf('.');
      if (dot > 0 && !Character.isDigit(name.charAt(0))) {
        names.add(name.substring(0, dot));
      }
    }
  }
}
