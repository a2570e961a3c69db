package dev.headrace.spi;

import dev.headrace.data.HeapLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file in its store.
 *
 * @param name what the store calls it
 * @param local where it is on this machine, or null if it is not
 */
public record StoredFile(Store store, String name, @Nullable Path local) implements Weighed {
  /** What a path of the JDK takes without its bytes; its text is the name. */
  private static final long PATH_BYTES = HeapLayout.object(4L * HeapLayout.REFERENCE + 4);

  private static final long OWN_BYTES = HeapLayout.object(3L * HeapLayout.REFERENCE);

  /** At least two letters: one is a drive. */
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):.*");

  private static final List<Store> STORES = installed();

  /** A file of this machine. */
  public static StoredFile of(Path path) {
    return new StoredFile(LocalStore.INSTANCE, path.toString(), path);
  }

  /** The file of a name. */
  public static StoredFile of(String name) throws IOException {
    Store store = storeOf(name);
    return store == LocalStore.INSTANCE
        ? of(LocalStore.path(name))
        : new StoredFile(store, name, null);
  }

  /**
   * The store in which a name is. A name with an unknown scheme is a local one, as {@code
   * 10:30.csv} may be, unless it looks like an address.
   */
  static Store storeOf(String name) throws IOException {
    Matcher matcher = SCHEME.matcher(name);
    if (!matcher.matches()) {
      return LocalStore.INSTANCE;
    }
    String scheme = matcher.group(1);
    for (Store store : STORES) {
      if (store.scheme().equalsIgnoreCase(scheme)) {
        return store;
      }
    }
    if (name.startsWith("://", scheme.length())) {
      throw new IOException(
          "%s: expected a name of a store that is installed, but there is none for %s: among %s; add the jar that has it"
              .formatted(name, scheme, STORES.stream().map(Store::scheme).toList()));
    }
    return LocalStore.INSTANCE;
  }

  private static List<Store> installed() {
    List<Store> stores = new ArrayList<>();
    stores.add(LocalStore.INSTANCE);
    ServiceLoader.load(Store.class, StoredFile.class.getClassLoader()).forEach(stores::add);
    return List.copyOf(stores);
  }

  public Store.Facts facts() throws IOException {
    return local != null ? LocalStore.facts(local) : store.facts(name);
  }

  public Store.Source open() throws IOException {
    return local != null ? LocalStore.open(local) : store.open(name);
  }

  /**
   * Where it is on this machine.
   *
   * @throws IOException saying that {@code what} needs a file that is
   */
  public Path local(String what) throws IOException {
    if (local == null) {
      throw new IOException(
          "%s: expected a file of this machine for %s, but it is in another store"
              .formatted(name, what));
    }
    return local;
  }

  @Override
  public long heapBytes() {
    long bytes = OWN_BYTES + Weigher.bytesOf(name);
    return local == null ? bytes : bytes + PATH_BYTES + HeapLayout.array(name.length(), 1);
  }

  @Override
  public String toString() {
    return name;
  }
}
