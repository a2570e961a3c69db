package dev.headrace.cli;

import dev.headrace.Dataset;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A class of a user as named on the command line, in a source file or on a class path, with the
 * method if one was named: {@code Train.java}, {@code com.acme.Train::validation}.
 */
final class UserCode {
  private static final String USUAL_METHOD = "dataset";

  private final String target;
  private final Class<?> type;
  private final @Nullable String method;

  private UserCode(String target, Class<?> type, @Nullable String method) {
    this.target = target;
    this.type = type;
    this.method = method;
  }

  /** Compiles what has to be compiled, and loads the class. */
  static UserCode load(String target, @Nullable String classPath) throws IOException {
    int colons = target.indexOf("::");
    String type = colons < 0 ? target : target.substring(0, colons);
    String method = colons < 0 ? null : target.substring(colons + 2);
    String path =
        classPath == null
            ? ""
            : UserLoader.entries(classPath).stream()
                .map(Path::toString)
                .collect(Collectors.joining(java.io.File.pathSeparator));
    if (type.endsWith(".java")) {
      Path source = Path.of(type);
      Map<String, byte[]> compiled = SourceCompiler.compile(source, path);
      return new UserCode(target, mainClass(source, compiled, path), method);
    }
    if (Files.exists(Path.of(type))) {
      throw new IllegalArgumentException(
          "%s: expected a source file (Train.java) or the name of a class (com.acme.Train), but it is %s; %s"
              .formatted(
                  type,
                  Files.isDirectory(Path.of(type)) ? "a folder" : "another file",
                  "put folders and jars on the class path with -cp, and name the class"));
    }
    return new UserCode(target, load(new UserLoader(Map.of(), path), type), method);
  }

  /** A class that is there already. */
  static UserCode of(String target, Class<?> type) {
    return new UserCode(target, type, null);
  }

  /** The class that has the file's name, else the first one with something to run. */
  private static Class<?> mainClass(Path source, Map<String, byte[]> compiled, String path)
      throws IOException {
    UserLoader loader = new UserLoader(compiled, path);
    String file = Objects.requireNonNull(source.getFileName()).toString();
    String prefix = SourceCompiler.packageOf(source);
    String named =
        (prefix.isEmpty() ? "" : prefix + ".")
            + file.substring(0, file.length() - ".java".length());
    if (compiled.containsKey(named)) {
      return load(loader, named);
    }
    for (String name : compiled.keySet()) {
      Class<?> candidate = load(loader, name);
      UserCode code = of(file, candidate);
      if (!candidate.isMemberClass() && (code.main() != null || !code.methods().isEmpty())) {
        return candidate;
      }
    }
    throw new IllegalArgumentException(
        "%s: expected a class %s, or one with a main method, but there is none"
            .formatted(source, named));
  }

  private static Class<?> load(ClassLoader loader, String type) {
    try {
      return Class.forName(type, false, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          type
              + ": expected a class on the class path, but there is no "
              + type
              + "; add its folder or jar with --class-path",
          e);
    } catch (LinkageError e) {
      throw new IllegalArgumentException(missing(type, e), e);
    }
  }

  private static String missing(String target, Throwable error) {
    return "%s: expected everything it needs on the class path, but got %s; add folders and jars with --class-path"
        .formatted(target, error);
  }

  /** As it was named. */
  String target() {
    return target;
  }

  /** The loader of its classes. */
  ClassLoader loader() {
    return Objects.requireNonNull(type.getClassLoader());
  }

  /** The main method, if there is one and no other was named. */
  @Nullable MainMethod main() {
    try {
      return method == null || method.equals("main") ? MainMethod.of(type) : null;
    } catch (LinkageError e) {
      throw new IllegalArgumentException(missing(target, e), e);
    }
  }

  /** Whether a dataset can be asked for: a method for it was named, or there is one. */
  boolean hasDataset() {
    return method == null ? !methods().isEmpty() : !method.equals("main") || main() == null;
  }

  /** The methods that return a dataset and need nothing for it: the usual one, then by name. */
  private List<Method> methods() {
    try {
      return Arrays.stream(type.getDeclaredMethods())
          .filter(m -> Dataset.class.isAssignableFrom(m.getReturnType()))
          .filter(m -> m.getParameterCount() == 0 && !m.isSynthetic())
          .sorted(
              Comparator.comparing((Method m) -> !m.getName().equals(USUAL_METHOD))
                  .thenComparing(Method::getName))
          .toList();
    } catch (LinkageError e) {
      throw new IllegalArgumentException(missing(target, e), e);
    }
  }

  /** The dataset that was named, 'dataset', or the only one. */
  Named dataset() {
    List<Named> all = datasets(false);
    if (all.size() > 1) {
      throw new IllegalArgumentException(
          "%s: expected one method that returns a Dataset, but there are %s; name one, as in %s"
              .formatted(
                  target,
                  all.stream().map(Named::method).collect(Collectors.joining(", ")),
                  all.getFirst().name()));
    }
    return all.getFirst();
  }

  /**
   * The dataset that was named; else all there are, or 'dataset' alone where one must be chosen.
   */
  List<Named> datasets(boolean all) {
    if (method != null) {
      return List.of(new Named(target, method, this));
    }
    List<Method> methods = methods();
    if (methods.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: expected a method without parameters that returns a Dataset, but %s"
              .formatted(target, instead()));
    }
    return methods.stream()
        .map(Method::getName)
        .filter(
            name ->
                all
                    || name.equals(USUAL_METHOD)
                    || methods.stream().noneMatch(other -> other.getName().equals(USUAL_METHOD)))
        .map(name -> new Named(target + "::" + name, name, this))
        .toList();
  }

  /** What there is instead of a dataset: the end of a message. */
  String instead() {
    return nearest(USUAL_METHOD);
  }

  /** What there is instead of a method. */
  private String nearest(String name) {
    String needing =
        Arrays.stream(type.getDeclaredMethods())
            .filter(m -> m.getName().equals(name) && m.getParameterCount() > 0)
            .map(
                m ->
                    name
                        + Arrays.stream(m.getParameterTypes())
                            .map(Class::getSimpleName)
                            .collect(Collectors.joining(", ", "(", ")")))
            .findFirst()
            .orElse("");
    if (!needing.isEmpty()) {
      return needing + " needs arguments; write one without, that calls it";
    }
    List<Method> others = methods();
    return (others.isEmpty()
            ? "there is none"
            : "there is only "
                + others.stream().map(Method::getName).collect(Collectors.joining(", ")))
        + (MainMethod.of(type) == null || !others.isEmpty()
            ? "; write one, such as static Dataset<Tensor> dataset() { … }"
            : " in this program; move the dataset into a method of its own, or let run or doctor"
                + " run the program");
  }

  private Dataset<?> call(String name) {
    try {
      Method found = type.getDeclaredMethod(name);
      boolean isStatic = Modifier.isStatic(found.getModifiers());
      found.setAccessible(true);
      if (found.invoke(isStatic ? null : MainMethod.newInstance(type, name))
          instanceof Dataset<?> dataset) {
        return dataset;
      }
      throw new IllegalArgumentException(
          target
              + ": expected a method that returns a Dataset, but it returns "
              + found.getReturnType().getName());
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          "%s: expected a method %s() without parameters in %s, but %s"
              .formatted(target, name, type.getName(), nearest(name)),
          e);
    } catch (InvocationTargetException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw cause instanceof LinkageError
          ? new IllegalArgumentException(missing(target, cause), cause)
          : new IllegalStateException(
              "%s: the method failed: %s%s".formatted(target, cause, at(cause)), cause);
    } catch (LinkageError e) { // of its static initialiser
      throw new IllegalArgumentException(missing(target, e), e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(target + ": the method cannot be called", e);
    }
  }

  /** The line of the user's program in which something failed. */
  private String at(Throwable cause) {
    return Arrays.stream(cause.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith(type.getName()))
        .findFirst()
        .map(frame -> " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")")
        .orElse("");
  }

  /**
   * A method that returns a dataset.
   *
   * @param name as it would be named on the command line
   */
  record Named(String name, String method, UserCode code) {
    /** Calls the method. */
    Dataset<?> dataset() {
      return code.call(method);
    }
  }
}
