package dev.headrace.spi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.NestMembersAttribute;
import java.net.URL;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The code of a class: a hash of its class file, of those nested with it in one outermost class,
 * and of those of its superclasses and interfaces, as far as they are not the platform's.
 *
 * @param hash the hash; empty where a class file cannot be read
 * @param missing which one cannot be read; null if all can
 */
record ClassContent(byte[] hash, @Nullable String missing) {
  private static final ClassValue<ClassContent> CONTENTS =
      new ClassValue<>() {
        @Override
        protected ClassContent computeValue(Class<?> type) {
          return read(type);
        }
      };

  /** The code of a class that is not the platform's. */
  static ClassContent of(Class<?> type) {
    return CONTENTS.get(type);
  }

  /** Whether a class belongs to the Java platform, whose code is taken for granted. */
  @SuppressWarnings("ReferenceEquality") // there is one such loader
  static boolean isOfPlatform(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader == ClassLoader.getPlatformClassLoader();
  }

  private static ClassContent read(Class<?> type) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    try {
      for (Class<?> part : withAncestors(type)) {
        readNest(part, files);
      }
    } catch (IOException | IllegalArgumentException e) {
      return new ClassContent(
          new byte[0], Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
    MessageDigest sha = ContentDigest.sha256();
    files.forEach(
        (name, bytes) -> {
          sha.update(ContentDigest.sha256().digest(name.getBytes(UTF_8)));
          sha.update(ContentDigest.sha256().digest(bytes));
        });
    return new ClassContent(sha.digest(), null);
  }

  private static List<Class<?>> withAncestors(Class<?> type) {
    List<Class<?>> all = new ArrayList<>();
    addWithAncestors(type, all);
    return all;
  }

  private static void addWithAncestors(@Nullable Class<?> type, List<Class<?>> all) {
    if (type == null || isOfPlatform(type) || all.contains(type)) {
      return;
    }
    all.add(type);
    addWithAncestors(type.getSuperclass(), all);
    for (Class<?> each : type.getInterfaces()) {
      addWithAncestors(each, all);
    }
  }

  private static void readNest(Class<?> type, TreeMap<String, byte[]> files) throws IOException {
    Class<?> host = type.getNestHost();
    if (files.containsKey(host.getName()) && files.containsKey(type.getName())) {
      return;
    }
    byte[] bytes = bytesOf(host, host.getName());
    files.put(host.getName(), bytes);
    for (String member : membersOf(bytes)) {
      files.put(member, bytesOf(host, member));
    }
    if (!files.containsKey(type.getName())) { // one that names a host which does not name it
      files.put(type.getName(), bytesOf(type, type.getName()));
    }
  }

  /** The classes nested in one, without loading them. */
  private static Set<String> membersOf(byte[] classFile) {
    Set<String> members = new TreeSet<>();
    ClassModel model = ClassFile.of().parse(classFile);
    model
        .findAttribute(Attributes.nestMembers())
        .map(NestMembersAttribute::nestMembers)
        .ifPresent(
            entries ->
                entries.forEach(entry -> members.add(entry.asInternalName().replace('/', '.'))));
    return members;
  }

  private static byte[] bytesOf(Class<?> near, String name) throws IOException {
    // A class file is never hidden by a module, and is found by the loader of the class.
    String resource = "/" + name.replace('.', '/') + ".class";
    URL file = near.getResource(resource);
    if (file != null && !isWhereLoaded(near, file)) {
      throw new IOException(
          "the class file of %s is found at %s, but the class was loaded from another place"
              .formatted(name, file));
    }
    try (InputStream in = near.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("the class file of " + name + " cannot be read");
      }
      return in.readAllBytes();
    }
  }

  /**
   * Whether a class file lies where classes beside it were loaded from: a loader that prefers its
   * own classes may still find the files of its parent. Places of other kinds are not compared.
   */
  private static boolean isWhereLoaded(Class<?> near, URL file) {
    CodeSource source = near.getProtectionDomain().getCodeSource();
    URL place = source == null ? null : source.getLocation();
    String at = file.toString();
    if (place == null
        || !place.getProtocol().equals("file")
        || !(at.startsWith("file:") || at.startsWith("jar:file:"))) {
      return true;
    }
    return withSingleSlashes(at).contains(withSingleSlashes(place.getPath()));
  }

  private static String withSingleSlashes(String text) {
    return text.replaceAll("/+", "/");
  }
}
