package dev.headrace.spi;

import dev.headrace.data.PartialFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/** The files of this machine. */
public final class LocalStore implements Store {
  static final LocalStore INSTANCE = new LocalStore();
  private static final String SCHEME = "file";

  private LocalStore() {}

  @Override
  public String scheme() {
    return SCHEME;
  }

  /** The path of a name, which may begin with {@code file:}. */
  static Path path(String name) {
    if (!name.startsWith(SCHEME + ":")) {
      return Path.of(name);
    }
    String rest = name.substring(SCHEME.length() + 1);
    return Path.of(rest.startsWith("//") ? rest.substring(2) : rest);
  }

  @Override
  public List<String> list(String folder) throws IOException {
    Path start = path(folder);
    if (!Files.exists(start)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(start, FileVisitOption.FOLLOW_LINKS)) {
      return files.filter(Files::isRegularFile).map(Path::toString).toList();
    }
  }

  @Override
  public Facts facts(String name) throws IOException {
    return facts(path(name));
  }

  static Facts facts(Path path) throws IOException {
    try {
      BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
      return new Facts(now.size(), now.lastModifiedTime().toMillis());
    } catch (NoSuchFileException e) {
      throw missing(path);
    }
  }

  @Override
  public Source open(String name) throws IOException {
    return open(path(name));
  }

  static Source open(Path path) throws IOException {
    try {
      return new OpenChannel(FileChannel.open(path));
    } catch (NoSuchFileException e) {
      throw missing(path);
    }
  }

  private static NoSuchFileException missing(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    String where =
        folder == null || Files.isDirectory(folder) ? "" : "; its folder does not exist either";
    String from =
        path.isAbsolute() ? "" : "; the working directory is " + Path.of("").toAbsolutePath();
    return new NoSuchFileException(
        path.toString(), null, "expected a file, but there is none" + where + from);
  }

  @Override
  public void write(String name, InputStream content) throws IOException {
    try (PartialFile out = PartialFile.beside(path(name))) {
      content.transferTo(out);
      out.publish();
    }
  }

  private record OpenChannel(FileChannel channel) implements Source {
    @Override
    public int read(long offset, ByteBuffer into) throws IOException {
      return channel.read(into, offset);
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
