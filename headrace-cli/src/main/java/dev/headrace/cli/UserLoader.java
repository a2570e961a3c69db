package dev.headrace.cli;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of a user's program: those that were compiled in memory, and those of a class
 * path. Never closed, because functions of a dataset live in its classes.
 */
final class UserLoader extends URLClassLoader {
  private final Map<String, byte[]> compiled;

  UserLoader(Map<String, byte[]> compiled, String classPath) throws IOException {
    super(urls(classPath), UserLoader.class.getClassLoader());
    this.compiled = compiled;
  }

  /** The entries of a class path, with {@code lib/*} spelled out. */
  static List<Path> entries(String classPath) throws IOException {
    List<Path> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      if (entry.endsWith("*")) {
        Path folder = existing(Path.of(entry.substring(0, entry.length() - 1)));
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.{jar,JAR}")) {
          jars.forEach(entries::add);
        }
      } else if (!entry.isEmpty()) {
        entries.add(existing(Path.of(entry)));
      }
    }
    return entries;
  }

  private static Path existing(Path entry) {
    if (!Files.exists(entry)) {
      throw new IllegalArgumentException(
          "--class-path: expected a jar or a folder, but there is no "
              + entry.toAbsolutePath().normalize());
    }
    return entry;
  }

  private static URL[] urls(String classPath) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path entry : entries(classPath)) {
      urls.add(entry.toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = compiled.get(name);
    return bytes == null ? super.findClass(name) : defineClass(name, bytes, 0, bytes.length);
  }

  /** Classes too: the identity of a function is a hash of the class that declares it. */
  @Override
  public @Nullable InputStream getResourceAsStream(String name) {
    byte[] bytes =
        name.endsWith(".class")
            ? compiled.get(name.substring(0, name.length() - ".class".length()).replace('/', '.'))
            : null;
    return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
  }
}
