package dev.headrace.runtime;

import dev.headrace.profile.Profile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which other programs use the cores, as far as Linux tells, found by looking at all of them twice.
 *
 * <p><b>Threading:</b> looks are made by one thread, the governor's; results may be read by any.
 */
final class OtherPrograms {
  private static final Path PROC = Path.of("/proc");
  private static final double TICK_SECONDS = 0.01;
  private static final double LEAST_CORES = 0.1;
  private static final int MOST = 3;

  /** A program's name and how many ticks it has computed. */
  record Used(String name, long ticks) {}

  private final long own = ProcessHandle.current().pid();
  private long firstNs;
  private Map<Long, Used> first = Map.of();
  private volatile List<Profile.Program> busiest = List.of();

  /** The busiest of them, by what they used between the first look and the last. */
  List<Profile.Program> busiest() {
    return busiest;
  }

  /** Looks at all programs, which takes milliseconds where there are hundreds. */
  void look(long nowNs) {
    Map<Long, Used> now = read();
    if (first.isEmpty()) {
      first = now;
      firstNs = nowNs;
      return;
    }
    busiest = busiest(first, now, (nowNs - firstNs) / 1e9, own);
  }

  static List<Profile.Program> busiest(
      Map<Long, Used> then, Map<Long, Used> now, double seconds, long own) {
    Map<String, Double> cores = new HashMap<>();
    now.forEach(
        (pid, used) -> {
          Used before = then.get(pid);
          long ticks = used.ticks - (before == null ? 0 : before.ticks);
          if (pid != own && ticks > 0) {
            cores.merge(used.name, ticks * TICK_SECONDS / Math.max(1e-3, seconds), Double::sum);
          }
        });
    List<Profile.Program> programs = new ArrayList<>();
    cores.forEach((name, used) -> programs.add(new Profile.Program(name, used)));
    programs.removeIf(program -> program.cores() < LEAST_CORES);
    programs.sort(Comparator.comparingDouble(Profile.Program::cores).reversed());
    return List.copyOf(programs.subList(0, Math.min(MOST, programs.size())));
  }

  private static Map<Long, Used> read() {
    Map<Long, Used> all = new HashMap<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        try {
          long pid = Long.parseLong(process.getFileName().toString());
          all.put(pid, parse(Files.readAllBytes(process.resolve("stat"))));
        } catch (IOException | RuntimeException e) {
          continue; // it has just ended, or is none of ours to see
        }
      }
    } catch (IOException | RuntimeException e) {
      return Map.of(); // a system without /proc
    }
    return all;
  }

  /** From a line of {@code /proc/PID/stat}: the name stands in brackets and may hold any. */
  static Used parse(byte[] stat) {
    String line = new String(stat, StandardCharsets.UTF_8);
    int end = line.lastIndexOf(')');
    String name = line.substring(line.indexOf('(') + 1, end);
    String[] fields = line.substring(end + 2).split(" ");
    long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    return new Used(name.replaceAll("\\p{Cntrl}", "?"), ticks);
  }
}
