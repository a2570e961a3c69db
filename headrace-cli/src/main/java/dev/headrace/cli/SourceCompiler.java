package dev.headrace.cli;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles a source file, and those it uses from the same tree, as {@code java File.java} does. */
final class SourceCompiler {
  private SourceCompiler() {}

  /**
   * Compiles in memory.
   *
   * @return the bytes of each class by its name; those of the file itself come first
   */
  static Map<String, byte[]> compile(Path source, String classPath) throws IOException {
    if (!Files.isRegularFile(source)) {
      throw new IllegalArgumentException(
          "%s: expected a source file, but there is no %s"
              .formatted(source, source.toAbsolutePath().normalize()));
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IllegalStateException(
          source + ": compiling needs a JDK, but this is a runtime without a compiler");
    }
    StringWriter messages = new StringWriter();
    try (InMemory classes = new InMemory(compiler.getStandardFileManager(null, null, null));
        var files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-cp",
              System.getProperty("java.class.path") + File.pathSeparator + classPath,
              "-sourcepath",
              tree(source).toString(),
              "-implicit:class",
              "-encoding",
              "UTF-8",
              "-nowarn",
              "-proc:none",
              "-g");
      boolean compiled =
          compiler
              .getTask(messages, classes, null, options, null, files.getJavaFileObjects(source))
              .call();
      if (!compiled) {
        throw new IllegalArgumentException(
            "%s: expected a program that compiles, but the compiler says:%n%s%s"
                .formatted(source, messages, hint(messages.toString())));
      }
      return classes.bytes();
    }
  }

  private static String hint(String messages) {
    if (messages.contains("compact source file does not have main method")) {
      return "Add void main() { }, which Java asks for, or put the methods into a class.";
    }
    return messages.contains("does not exist") || messages.contains("cannot find symbol")
        ? "Libraries it needs go on the class path: --class-path 'lib/*'."
        : "Correct these lines and run it again.";
  }

  /** The folder that packages begin in: the file's own, or above it where folders spell them. */
  private static Path tree(Path source) throws IOException {
    Path folder = Objects.requireNonNull(source.toAbsolutePath().normalize().getParent());
    Path packages = Path.of(packageOf(source).replace('.', '/'));
    if (packages.toString().isEmpty() || !folder.endsWith(packages)) {
      return folder;
    }
    Path root = folder;
    for (int i = 0; i < packages.getNameCount(); i++) {
      root = Objects.requireNonNull(root.getParent());
    }
    return root;
  }

  /** The package that a source file declares; empty for none. */
  static String packageOf(Path source) throws IOException {
    for (String line : Files.readAllLines(source)) {
      String text = line.strip();
      if (text.startsWith("package ") && text.contains(";")) {
        return text.substring("package ".length(), text.indexOf(';')).strip();
      }
    }
    return "";
  }

  /** Keeps what the compiler writes. */
  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> written = new LinkedHashMap<>();

    InMemory(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/')), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          written.put(name, bytes);
          return bytes;
        }
      };
    }

    Map<String, byte[]> bytes() {
      Map<String, byte[]> all = new LinkedHashMap<>();
      written.forEach((name, stream) -> all.put(name, stream.toByteArray()));
      return all;
    }
  }
}
