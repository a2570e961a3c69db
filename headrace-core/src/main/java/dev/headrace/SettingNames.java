package dev.headrace;

import dev.headrace.data.Log;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Knows the names of all settings, and says which names look like one and are none. */
final class SettingNames {
  private static final System.Logger LOG = Log.named("headrace.settings");
  private static final String PROPERTY = "headrace.";
  private static final String VARIABLE = "HEADRACE_";
  private static final String SEE = "; headrace config lists them";

  /** Settings that are read where they are used, and are not options of a pipeline. */
  static final List<String> OTHERS =
      List.of(
          "image.decoder",
          "image.maxHeight",
          "image.maxPixels",
          "image.maxScans",
          "image.maxWidth",
          "meters.off",
          "mmap",
          "nvjpeg",
          "nvrtc",
          "ptxas",
          "python",
          "peer.errors",
          "java.opts",
          "trace",
          "tuning.folder",
          "turbojpeg");

  /** What begins with these is for the build, tests and measurements of Headrace itself. */
  static final List<String> OWN =
      List.of("autotune.", "docs.", "doctor.", "format.", "fuzz", "jdk", "skip.", "test.");

  private static volatile List<String> allNames = List.of();

  private SettingNames() {}

  /** Warns of each name that is set and not known; once each. */
  static void warnOfUnknown() {
    Options.unknownSettings().forEach(text -> LOG.log(System.Logger.Level.WARNING, text));
  }

  /** What to say of names that are set and not known. */
  static List<String> unknown(Collection<String> properties, Map<String, String> environment) {
    List<String> known = known();
    if (known.isEmpty()) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (String property : properties.stream().filter(name -> name.startsWith(PROPERTY)).toList()) {
      String name = property.substring(PROPERTY.length());
      if (!known.contains(name) && OWN.stream().noneMatch(name::startsWith)) {
        String nearest = nearest(name, known);
        texts.add(
            "property %s: expected the name of a setting, but there is none of that name%s"
                .formatted(property, isNear(name, nearest) ? meant(PROPERTY + nearest) : SEE));
      }
    }
    List<String> variables = known.stream().map(SettingNames::variable).toList();
    for (String variable : environment.keySet()) {
      // Variables of this kind may belong to other programs: only slips of the pen are told.
      if (variable.startsWith(VARIABLE) && !variables.contains(variable)) {
        String nearest = nearest(variable, variables);
        if (isNear(variable, nearest)) {
          texts.add(
              "variable %s: expected the name of a setting, but there is none of that name%s"
                  .formatted(variable, meant(nearest)));
        }
      }
    }
    return texts;
  }

  /** All names; none while a setting has a value that cannot be read, which is said elsewhere. */
  private static List<String> known() {
    List<String> found = allNames;
    if (found.isEmpty()) {
      try {
        Stream<String> options = Options.defaults().effective().stream().map(Options.Setting::name);
        found = Stream.concat(options, OTHERS.stream()).sorted().toList();
        allNames = found;
      } catch (IllegalArgumentException e) {
        return List.of();
      }
    }
    return found;
  }

  private static String meant(String name) {
    return "; did you mean " + name + "?";
  }

  private static String variable(String name) {
    return VARIABLE + name.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  private static String nearest(String name, List<String> known) {
    return known.stream().min(Comparator.comparingInt(each -> distance(name, each))).orElse("");
  }

  /** Whether a name was probably meant: a third of its letters differ at most. */
  private static boolean isNear(String name, String known) {
    return distance(name, known) <= Math.max(2, name.length() / 3);
  }

  /** How many letters must be added, taken out or replaced to make one of the other. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        boolean same =
            Character.toLowerCase(one.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
        int replaced = diagonal + (same ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
