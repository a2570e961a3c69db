package dev.headrace.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The place in the user's program that made an operator, and the name the user gave it.
 *
 * <p>Two sites are always equal: a site says where an operator comes from, never what it is, so
 * plans that differ only in sites are the same plan.
 */
public final class Site {
  /** The site of operators that no user line made. */
  public static final Site UNKNOWN = new Site("", 0, null);

  private final String file;
  private final int line;
  private final @Nullable String name;
  private final @Nullable Integer version;

  public Site(String file, int line, @Nullable String name) {
    this(file, line, name, null);
  }

  private Site(String file, int line, @Nullable String name, @Nullable Integer version) {
    this.file = Objects.requireNonNull(file);
    this.line = line;
    this.name = name;
    this.version = version;
  }

  /** The name the user gave the operator, if any. */
  public @Nullable String name() {
    return name;
  }

  /** The version of the functions that are known by this name; null if they go by content. */
  public @Nullable Integer version() {
    return version;
  }

  public Site named(String newName) {
    return new Site(file, line, newName, version);
  }

  /** The same, where the functions of the operator are known by a name and version. */
  public Site named(String newName, int newVersion) {
    return new Site(file, line, newName, newVersion);
  }

  /** {@code Main.java:17}, or nothing where the line is not known. */
  @Override
  public String toString() {
    return file.isEmpty() ? "" : file + ":" + line;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Site;
  }

  @Override
  public int hashCode() {
    return 1;
  }
}
