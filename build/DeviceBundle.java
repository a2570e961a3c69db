import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * Makes a folder that runs Headrace, its measurements and its GPU tests where there is a GPU but no
 * JDK: {@code target/device-bundle}, and beside it the same packed, {@code
 * target/device-bundle.tar.xz}.
 *
 * <p>From the top of the clone, with a JDK 25, after a build: {@code java build/DeviceBundle.java}.
 * Options:
 *
 * <pre>
 *   --turbojpeg FILE   a libturbojpeg.so.0 to put beside it: OpenCV's decoder is too large, and the JDK's slow
 *   --classes FOLDER   classes that were compiled elsewhere, instead of the jars of a build; may be repeated
 *   --tests FOLDER     the tests of headrace-cuda, compiled elsewhere; else headrace-cuda/target/test-classes
 *   --library JAR      a jar to add; may be repeated
 *   --torch FOLDER     headrace-torch/target after a build with -Padapters: adds its GPU tests, which run on the
 *                      libraries of the PyTorch that the other machine's Python has
 * </pre>
 */
final class DeviceBundle {
  /* What the command needs, and what makes it better: the incubator for fast images, JFR and management for figures,
   * desktop to make JPEG files for measurements, httpserver for --metrics, XML and zipfs for JUnit. The compiler is
   * left out: sources cannot be named on such a machine, only classes. */
  private static final List<String> MODULES =
      List.of(
          "java.base",
          "java.desktop",
          "java.logging",
          "java.management",
          "java.xml",
          "jdk.httpserver",
          "jdk.incubator.vector",
          "jdk.jfr",
          "jdk.management",
          "jdk.unsupported",
          "jdk.zipfs");

  private static final Pattern NATIVE_DECODER =
      Pattern.compile("(opencv|openblas|javacpp)-.*\\.jar");
  private static final long MOST_BYTES = 60_000_000;
  private static final String PLATFORM = "linux-x86_64";

  private final Path target = Path.of("target");
  private final Path bundle = target.resolve("device-bundle");
  private final List<Path> classes = new ArrayList<>();
  private final List<Path> libraries = new ArrayList<>();
  private Path tests = Path.of("headrace-cuda/target/test-classes");
  private Path turboJpeg;
  private Path torch;

  public static void main(String[] arguments) throws Exception {
    DeviceBundle made = new DeviceBundle();
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        fail("expected a value after " + arguments[i]);
      }
      Path value = Path.of(arguments[i + 1]);
      if (!Files.exists(value)) {
        fail("%s: there is no %s".formatted(arguments[i], value));
      }
      switch (arguments[i]) {
        case "--turbojpeg" -> made.turboJpeg = value;
        case "--classes" -> made.classes.add(value);
        case "--tests" -> made.tests = value;
        case "--library" -> made.libraries.add(value);
        case "--torch" -> made.torch = value;
        default ->
            fail(
                "expected --turbojpeg, --classes, --tests, --library or --torch, but got "
                    + arguments[i]);
      }
    }
    made.make();
  }

  private static void fail(String why) {
    System.err.println("DeviceBundle: " + why);
    System.exit(1);
  }

  private void make() throws Exception {
    remove(bundle);
    Path lib = Files.createDirectories(bundle.resolve("lib"));
    if (classes.isEmpty()) {
      copyBuilt(lib);
    }
    for (int i = 0; i < classes.size(); i++) {
      pack(classes.get(i), lib.resolve("classes-%d.jar".formatted(i + 1)));
    }
    for (Path library : libraries) {
      Files.copy(library, lib.resolve(library.getFileName()));
    }
    addTests();
    addPeers();
    if (torch != null) {
      addTorch();
    }
    if (turboJpeg != null) {
      Files.copy(turboJpeg, lib.resolve("libturbojpeg.so.0"));
    }
    link();
    addScripts();
    packAll();
  }

  // ---- what is in it ----------------------------------------------------------------------------

  private void copyBuilt(Path lib) throws IOException {
    Path cli = Path.of("headrace-cli/target/headrace-cli.jar");
    Path beside = Path.of("headrace-cli/target/lib");
    if (!Files.isRegularFile(cli) || !Files.isDirectory(beside)) {
      fail("there is no headrace-cli/target/headrace-cli.jar; build first: ./headrace --version");
    }
    Files.copy(cli, lib.resolve(cli.getFileName()));
    try (Stream<Path> jars = Files.list(beside)) {
      for (Path jar : jars.toList()) {
        if (!NATIVE_DECODER.matcher(jar.getFileName().toString()).matches()) {
          Files.copy(jar, lib.resolve(jar.getFileName()));
        }
      }
    }
  }

  private void addTests() throws IOException {
    if (!Files.isDirectory(tests)) {
      System.err.println("no GPU tests: there is no " + tests);
      return;
    }
    Path folder = Files.createDirectories(bundle.resolve("tests"));
    pack(tests, folder.resolve("headrace-cuda-tests.jar"));
    String junit = version("junit.version");
    fetch("org/junit/platform/junit-platform-console-standalone", junit, folder);
    fetch("org/assertj/assertj-core", version("assertj.version"), folder);
    if (usesProxies()) {
      fetch("net/bytebuddy/byte-buddy", newest("net/bytebuddy/byte-buddy"), folder);
    }
  }

  /**
   * Whether the tests use what AssertJ makes classes for at run time: 9 MB that are seldom needed.
   */
  private boolean usesProxies() throws IOException {
    try (Stream<Path> all = Files.walk(tests)) {
      for (Path each : all.filter(file -> file.toString().endsWith(".class")).toList()) {
        String text = Files.readString(each, StandardCharsets.ISO_8859_1);
        if (text.contains("assertj/core/api/Assumptions") || text.contains("SoftAssertions")) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * The adapter for PyTorch with its tests, and of the library's Java side what is not in every
   * PyTorch: PyTorch itself, hundreds of megabytes, is the other machine's.
   */
  private void addTorch() throws IOException {
    if (!Files.isDirectory(torch.resolve("test-classes"))) {
      fail(
          "--torch: there is no test-classes in %s; build it: mvn -Padapters verify"
              .formatted(torch));
    }
    Path folder = Files.createDirectories(bundle.resolve("torch"));
    pack(torch.resolve("classes"), folder.resolve("headrace-torch.jar"));
    pack(torch.resolve("test-classes"), folder.resolve("headrace-torch-tests.jar"));
    String javacpp = version("javacpp.version");
    String openblas = version("openblas.version");
    String pytorch = version("pytorch.version");
    fetch("org/bytedeco/javacpp", javacpp, folder);
    fetch("org/bytedeco/openblas", openblas, folder);
    fetch("org/bytedeco/pytorch", pytorch, folder);
    fetchLibraries("org/bytedeco/javacpp", javacpp, "libjnijavacpp", folder);
    fetchLibraries(
        "org/bytedeco/openblas",
        openblas,
        "lib(jniopenblas|jniopenblas_nolapack|openblas|gfortran|quadmath|gcc_s)",
        folder);
    fetchLibraries("org/bytedeco/pytorch", pytorch, "libjnitorch", folder);
    testScript(
        "torch-tests",
        """
        # The tests of headrace-torch that need a GPU, on the libraries of Python's PyTorch; arguments go to JUnit.
        torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')
        libraries=$torch/lib
        for folder in "$torch"/../nvidia/*/lib; do
          libraries=$libraries:$folder
        done
        LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
        """,
        "torch/headrace-torch-tests.jar");
  }

  private void addPeers() throws IOException {
    Path folder = Files.createDirectories(bundle.resolve("peers/torch"));
    try (Stream<Path> programs = Files.list(Path.of("peers/torch"))) {
      for (Path program : programs.filter(each -> each.toString().endsWith(".py")).toList()) {
        Files.copy(program, folder.resolve(program.getFileName()));
      }
    }
  }

  private void link() throws Exception {
    run(
        Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
        "--add-modules",
        String.join(",", MODULES),
        "--strip-debug",
        "--no-man-pages",
        "--no-header-files",
        "--compress",
        "zip-0",
        "--output",
        bundle.resolve("java").toString());
  }

  private void addScripts() throws IOException {
    script(
        "headrace",
        """
        #!/bin/sh
        # The headrace command, with the Java beside it. HEADRACE_JAVA_OPTS: more options for the JVM, such as -Xmx8g.
        set -eu
        here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
        if [ -f "$here/lib/libturbojpeg.so.0" ]; then
          HEADRACE_TURBOJPEG=${HEADRACE_TURBOJPEG:-$here/lib/libturbojpeg.so.0}
          export HEADRACE_TURBOJPEG
        fi
        # HEADRACE_JAVA_OPTS is a list of words on purpose.
        # shellcheck disable=SC2086
        exec "$here/java/bin/java" --enable-native-access=ALL-UNNAMED --add-modules=jdk.incubator.vector \\
          -Djava.awt.headless=true ${HEADRACE_JAVA_OPTS:-} -cp "$here/lib/*" dev.headrace.cli.Main "$@"
        """);
    testScript(
        "gpu-tests",
        """
        # The tests of headrace-cuda that need a GPU; arguments go to JUnit's console launcher.
        if [ -f "$here/lib/libturbojpeg.so.0" ]; then
          HEADRACE_TURBOJPEG=${HEADRACE_TURBOJPEG:-$here/lib/libturbojpeg.so.0}
          export HEADRACE_TURBOJPEG
        fi
        """,
        "tests/headrace-cuda-tests.jar");
  }

  /** A script that runs those tests of a jar that need a GPU. */
  private void testScript(String name, String first, String jar) throws IOException {
    script(
        name,
        """
        #!/bin/sh
        set -eu
        here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
        %s# shellcheck disable=SC2086
        exec "$here/java/bin/java" --enable-native-access=ALL-UNNAMED --add-modules=jdk.incubator.vector \\
          -Djava.awt.headless=true ${HEADRACE_JAVA_OPTS:-} -cp "$here/torch/*:$here/tests/*:$here/lib/*" \\
          org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \\
          --scan-class-path="$here/%s" --include-tag=gpu "$@"
        """
            .formatted(first, jar));
  }

  private void script(String name, String text) throws IOException {
    Path script = Files.writeString(bundle.resolve(name), text);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void packAll() throws Exception {
    Path packed = target.resolve("device-bundle.tar.xz");
    run("tar", "-cJf", packed.toString(), "-C", target.toString(), "device-bundle");
    System.out.printf(
        Locale.ROOT,
        "%s: %.1f MB; %s: %.1f MB%n",
        bundle,
        size(bundle) / 1e6,
        packed,
        Files.size(packed) / 1e6);
    if (Files.size(packed) > MOST_BYTES) {
      fail("expected at most %,d bytes, packed".formatted(MOST_BYTES));
    }
  }

  // ---- libraries --------------------------------------------------------------------------------

  private static String version(String property) throws IOException {
    Matcher found =
        Pattern.compile("<" + property + ">(.*?)</").matcher(Files.readString(Path.of("pom.xml")));
    if (!found.find()) {
      fail("there is no property " + property + " in pom.xml");
    }
    return found.group(1);
  }

  private static Path repository() {
    return Path.of(
        System.getProperty(
            "maven.repo.local", System.getProperty("user.home") + "/.m2/repository"));
  }

  /** The newest version of an artifact that some build has used. */
  private static String newest(String artifact) throws IOException {
    Path folder = repository().resolve(artifact);
    if (!Files.isDirectory(folder)) {
      fail("there is no %s; build first, with tests".formatted(folder));
    }
    try (Stream<Path> versions = Files.list(folder)) {
      return versions
          .filter(Files::isDirectory)
          .map(version -> version.getFileName().toString())
          .max(Comparator.comparing(Runtime.Version::parse))
          .orElseThrow();
    }
  }

  /** Copies an artifact from the local repository. */
  private static void fetch(String artifact, String version, Path folder) throws IOException {
    Path jar = local(artifact, version, "");
    Files.copy(jar, folder.resolve(jar.getFileName()));
  }

  /**
   * Copies of an artifact's libraries for Linux x86-64 those whose names are {@code wanted} up to
   * their endings.
   */
  private static void fetchLibraries(String artifact, String version, String wanted, Path folder)
      throws IOException {
    Path whole = local(artifact, version, PLATFORM);
    Pattern names = Pattern.compile("org/.*/" + wanted + "\\.so.*");
    try (JarFile in = new JarFile(whole.toFile());
        OutputStream file = Files.newOutputStream(folder.resolve(whole.getFileName()));
        JarOutputStream out = new JarOutputStream(file)) {
      out.setLevel(Deflater.NO_COMPRESSION); // better done for all together
      List<JarEntry> entries =
          in.stream().filter(each -> names.matcher(each.getName()).matches()).toList();
      if (entries.isEmpty()) {
        fail("there is no %s in %s".formatted(wanted, whole.getFileName()));
      }
      for (JarEntry entry : entries) {
        out.putNextEntry(new JarEntry(entry.getName()));
        try (InputStream content = in.getInputStream(entry)) {
          content.transferTo(out);
        }
        out.closeEntry();
      }
    }
  }

  /** An artifact's jar in the local repository; {@code classifier} may be empty. */
  private static Path local(String artifact, String version, String classifier) {
    String ending = classifier.isEmpty() ? "" : "-" + classifier;
    String name = artifact.substring(artifact.lastIndexOf('/') + 1) + "-" + version + ending;
    Path jar = repository().resolve(artifact).resolve(version).resolve(name + ".jar");
    if (!Files.isRegularFile(jar)) {
      fail(
          "there is no %s.jar in the local repository; fetch it: mvn dependency:get -Dartifact=%s:%s%s"
              .formatted(
                  name,
                  artifact.replaceAll("/([^/]*)$", ":$1").replace('/', '.'),
                  version,
                  classifier.isEmpty() ? "" : ":jar:" + classifier));
    }
    return jar;
  }

  // ---- files ------------------------------------------------------------------------------------

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> all = Files.walk(classes)) {
      out.setLevel(Deflater.NO_COMPRESSION); // better done for all together
      for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(each).toString().replace('\\', '/')));
        Files.copy(each, out);
        out.closeEntry();
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static long size(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      fail("%s ended with %d".formatted(command[0], code));
    }
  }
}
