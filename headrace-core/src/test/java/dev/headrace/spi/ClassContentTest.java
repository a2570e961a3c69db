package dev.headrace.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ClassContentTest {
  @TempDir Path folder;
  private final List<Preferring> loaders = new ArrayList<>();

  /** Has classes of its own, which it prefers to those of its parent. */
  private static final class Preferring extends URLClassLoader {
    private final boolean prefersFiles;

    Preferring(Path classes, boolean prefersFiles) throws IOException {
      super(new URL[] {classes.toUri().toURL()}, ClassContentTest.class.getClassLoader());
      this.prefersFiles = prefersFiles;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known != null
            ? known
            : findResource(name.replace('.', '/') + ".class") == null
                ? super.loadClass(name, resolve)
                : findClass(name);
      }
    }

    @Override
    public @Nullable URL getResource(String name) {
      URL own = prefersFiles ? findResource(name) : null;
      return own == null ? super.getResource(name) : own;
    }
  }

  /** Copies a class, and puts another number where it has {@link MultiplyingFn#FACTOR}. */
  private void copy(Class<?> type, long factor, Path classes) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    String latin;
    try (InputStream in = type.getResourceAsStream("/" + name)) {
      latin =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.ISO_8859_1)
              .replace(bytesOf(MultiplyingFn.FACTOR), bytesOf(factor));
    }
    Path file = classes.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, latin.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String bytesOf(long number) {
    return new String(ByteBuffer.allocate(8).putLong(number).array(), StandardCharsets.ISO_8859_1);
  }

  /** The same lambda of the same class, whose interface multiplies by another number. */
  @SuppressWarnings("unchecked") // it is one
  private Fn<Long, Long> multiplyingBy(long factor, boolean prefersFiles) throws Exception {
    Path classes = folder.resolve(factor + " " + prefersFiles);
    copy(MultiplyingFn.class, factor, classes);
    copy(MultiplyingLambda.class, factor, classes);
    Preferring loader = new Preferring(classes, prefersFiles);
    loaders.add(loader);
    Object made =
        loader.loadClass(MultiplyingLambda.class.getName()).getMethod("make").invoke(null);
    return (Fn<Long, Long>) made;
  }

  @AfterEach
  void close() throws IOException {
    for (Preferring loader : loaders) {
      loader.close();
    }
  }

  @Test
  void theMethodsOfAnInterfaceBelongToALambdaOfIt() throws Exception {
    Fn<Long, Long> two = multiplyingBy(2, true);
    Fn<Long, Long> three = multiplyingBy(3, true);
    assertThat(two.apply(5L)).isEqualTo(12);
    assertThat(three.apply(5L)).isEqualTo(18);
    assertThat(ContentIdentity.of(two).missing()).isNull();
    assertThat(ContentIdentity.of(three).hash()).isNotEqualTo(ContentIdentity.of(two).hash());
  }

  @Test
  void aClassFileThatIsNotTheOneThatWasLoadedIsNotTakenForIt() throws Exception {
    Fn<Long, Long> two = multiplyingBy(2, false);
    assertThat(two.apply(5L)).isEqualTo(12);
    assertThat(ContentIdentity.of(two).missing())
        .contains("the class file of dev.headrace.spi.Multiplying")
        .contains("but the class was loaded from another place");
  }
}
