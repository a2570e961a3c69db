package dev.headrace.cli;

import dev.headrace.Options;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints every setting that is in force, its value and where it comes from. */
@Command(
    name = "config",
    description = "Prints every effective setting, its value and its origin.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "A setting is taken from code, then the system property headrace.<name>, then the variable",
      "HEADRACE_<NAME>, then a default.",
      "",
      "Example:",
      "  HEADRACE_CPU_BUDGET=4 headrace config"
    })
final class ConfigCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    List<Options.Setting> settings = Options.defaults().effective();
    String jdk = Runtime.version() + ", " + System.getProperty("java.vm.name");
    int cores = Runtime.getRuntime().availableProcessors();
    long heap = Runtime.getRuntime().maxMemory();
    if (json) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("settings", settings.stream().map(ConfigCommand::fields).toList());
      all.put("unknown", Options.unknownSettings());
      all.put("jdk", jdk);
      all.put("cores", cores);
      all.put("maxHeapBytes", heap);
      out.println(JsonText.of(all));
    } else {
      int width = settings.stream().mapToInt(setting -> setting.name().length()).max().orElse(0);
      String format = "%-" + (width + "headrace.".length()) + "s  %15s  %s%n";
      out.printf(Locale.ROOT, format, "setting", "value", "origin");
      for (Options.Setting setting : settings) {
        out.printf(
            Locale.ROOT, format, "headrace." + setting.name(), value(setting), setting.origin());
      }
      Options.unknownSettings().forEach(out::println);
      out.println();
      out.printf(Locale.ROOT, "JDK       %s%n", jdk);
      out.printf(Locale.ROOT, "cores     %d%n", cores);
      out.printf(Locale.ROOT, "max heap  %,d MB%n", heap >> 20);
    }
    out.flush();
    return Main.OK;
  }

  private static Map<String, Object> fields(Options.Setting setting) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", "headrace." + setting.name());
    fields.put("value", setting.text());
    fields.put("origin", setting.origin());
    return fields;
  }

  private static String value(Options.Setting setting) {
    return setting.name().endsWith(".budget") && setting.value() >= 1L << 20
        ? String.format(Locale.ROOT, "%,d MB", setting.value() >> 20)
        : setting.text();
  }
}
