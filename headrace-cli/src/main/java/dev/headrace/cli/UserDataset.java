package dev.headrace.cli;

import dev.headrace.Dataset;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The dataset of a user's program, named on the command line: a static method without parameters
 * that returns a {@code Dataset}, in a class on a class path or in a single source file.
 */
final class UserDataset {
  private static final String USUAL_METHOD = "dataset";

  @Parameters(
      index = "0",
      paramLabel = "DATASET",
      description = {
        "A static method that returns the dataset: com.acme.Train::dataset, or Train.java::dataset",
        "for a single source file. The method is 'dataset' where none is named."
      })
  private String target = "";

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      description = "Where the class and what it needs are: jars and folders, as for java.")
  private @Nullable String classPath;

  /** Loads the class, calls the method. */
  Dataset<?> load() throws IOException, InterruptedException {
    int colons = target.indexOf("::");
    String type = colons < 0 ? target : target.substring(0, colons);
    String method = colons < 0 ? USUAL_METHOD : target.substring(colons + 2);
    List<URL> urls = new ArrayList<>();
    String path = classPath == null ? "" : classPath;
    for (String entry : path.split(java.io.File.pathSeparator)) {
      if (!entry.isEmpty()) {
        urls.add(url(Path.of(entry)));
      }
    }
    if (type.endsWith(".java")) {
      Path source = Path.of(type);
      urls.add(url(compile(source, path)));
      String file = Objects.requireNonNull(source.getFileName()).toString();
      type = packageOf(source) + file.substring(0, file.length() - ".java".length());
    }
    // Not closed: the dataset's functions live in its classes.
    ClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), Dataset.class.getClassLoader());
    return call(loader, type, method);
  }

  private Dataset<?> call(ClassLoader loader, String type, String name) {
    try {
      Class<?> owner = Class.forName(type, true, loader);
      Method method = owner.getDeclaredMethod(name);
      if (!Modifier.isStatic(method.getModifiers())) {
        throw new IllegalArgumentException(
            target + ": expected a static method, but " + name + " needs an object");
      }
      method.setAccessible(true);
      if (method.invoke(null) instanceof Dataset<?> dataset) {
        return dataset;
      }
      throw new IllegalArgumentException(
          target
              + ": expected a method that returns a Dataset, but it returns "
              + method.getReturnType().getName());
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          target
              + ": expected a class on the class path, but there is no "
              + type
              + "; add its folder or jar with --class-path",
          e);
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          target + ": expected a method " + name + "() without parameters in " + type, e);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(target + ": the method failed: " + e.getCause(), e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(target + ": the method cannot be called", e);
    }
  }

  private static URL url(Path entry) throws MalformedURLException {
    if (!Files.exists(entry)) {
      throw new IllegalArgumentException(
          "--class-path: expected a jar or a folder, but there is no " + entry);
    }
    return entry.toUri().toURL();
  }

  private static Path compile(Path source, String path) throws IOException {
    if (!Files.isRegularFile(source)) {
      throw new IllegalArgumentException("expected a source file, but there is no " + source);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IllegalStateException(
          source + ": compiling needs a JDK, but this is a runtime without a compiler");
    }
    Path classes = Files.createTempDirectory("headrace-user");
    StringWriter messages = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      String own = System.getProperty("java.class.path");
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-d", classes.toString(), "-cp", own + java.io.File.pathSeparator + path),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      if (!compiled) {
        throw new IllegalArgumentException(source + ": does not compile:\n" + messages);
      }
    }
    return classes;
  }

  private static String packageOf(Path source) throws IOException {
    for (String line : Files.readAllLines(source)) {
      String text = line.strip();
      if (text.startsWith("package ")) {
        return text.substring("package ".length(), text.indexOf(';')).strip() + ".";
      }
    }
    return "";
  }
}
