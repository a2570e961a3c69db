import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the figures of docs/inside/seeds.md again: runs every demo that the page names, and puts
 * what it concludes ("So: ...") between the marks. From the top of the clone, on a machine with
 * nothing else to do: {@code java build/SeedFigures.java}, or with the ids of some demos only. The
 * command that runs a demo can be given with {@code -Ddemo="./headrace demo"}.
 */
final class SeedFigures {
  private static final Path PAGE = Path.of("docs/inside/seeds.md");
  private static final Pattern MARKED =
      Pattern.compile("<!-- figures: (\\S+) -->\\n.*?<!-- end of figures -->", Pattern.DOTALL);
  private static final Pattern MEASURED =
      Pattern.compile("<!-- measured -->.*?<!-- end of measured -->", Pattern.DOTALL);
  private static final String SO = "So: ";

  public static void main(String[] only) throws IOException, InterruptedException {
    double loadBefore = load();
    Map<String, String> measured = new LinkedHashMap<>();
    Matcher marks = MARKED.matcher(Files.readString(PAGE));
    while (marks.find()) {
      String id = marks.group(1);
      boolean wanted = only.length == 0 || List.of(only).contains(id);
      if (wanted && !measured.containsKey(id)) {
        System.err.println(id);
        measured.put(id, conclusions(id));
      }
    }
    Matcher anew = MARKED.matcher(Files.readString(PAGE));
    String page =
        anew.replaceAll(
            mark -> {
              String figures = measured.get(mark.group(1));
              String text =
                  figures == null
                      ? mark.group()
                      : "<!-- figures: %s -->\n%s<!-- end of figures -->"
                          .formatted(mark.group(1), figures);
              return Matcher.quoteReplacement(text);
            });
    String when =
        String.format(
            Locale.ROOT,
            "<!-- measured -->on %s, with %d cores and a load of %.1f before and %.1f after<!-- end"
                + " of measured -->",
            LocalDate.now(),
            Runtime.getRuntime().availableProcessors(),
            loadBefore,
            load());
    boolean isWhole = only.length == 0;
    Files.writeString(
        PAGE, isWhole ? MEASURED.matcher(page).replaceAll(Matcher.quoteReplacement(when)) : page);
  }

  /** How many threads wanted a core, in the last minute; what this program runs included. */
  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static String conclusions(String id) throws IOException, InterruptedException {
    List<String> command =
        List.of((System.getProperty("demo", "./headrace demo") + " " + id).split(" "));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(false)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    StringBuilder found = new StringBuilder();
    try (var lines = process.inputReader()) {
      lines
          .lines()
          .filter(line -> line.startsWith(SO))
          .forEach(line -> found.append("> ").append(line.substring(SO.length())).append("\\\n"));
    }
    int code = process.waitFor();
    if (code != 0 || found.isEmpty()) {
      throw new IOException(
          "%s: expected conclusions and exit code 0, but got %d and '%s'"
              .formatted(command, code, found));
    }
    // The last line of a quotation needs no break.
    return found.substring(0, found.length() - 2) + "\n";
  }
}
