package dev.headrace.spi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** A store of files that are in memory: {@code mem:folder/name}. */
public final class MemoryStore implements Store {
  private static final Map<String, byte[]> FILES = new ConcurrentHashMap<>();

  /** Names that have this in them are read by a thread that is interrupted now and then. */
  static final String RESTLESS = "restless";

  private static final Random RANDOM = new Random(1);

  @Override
  public String scheme() {
    return "mem";
  }

  /** Puts a file there, in the place of one that has its name. */
  public static void put(String name, byte[] content) {
    FILES.put(name, content);
  }

  private static byte[] content(String name) throws NoSuchFileException {
    byte[] content = FILES.get(name);
    if (content == null) {
      throw new NoSuchFileException(name);
    }
    return content;
  }

  @Override
  public List<String> list(String folder) {
    return FILES.keySet().stream().filter(name -> name.startsWith(folder)).toList();
  }

  @Override
  public Facts facts(String name) throws IOException {
    return new Facts(content(name).length, 0);
  }

  @Override
  public Source open(String name) throws IOException {
    byte[] content = content(name);
    boolean restless = name.contains(RESTLESS);
    return new Source() {
      private boolean closed;

      /** As a channel of a file, which an interruption closes. */
      private void block() throws IOException {
        if (closed) {
          throw new ClosedChannelException();
        }
        if (restless && RANDOM.nextInt(20) == 0) {
          closed = true;
          Thread.currentThread().interrupt();
          throw new ClosedByInterruptException();
        }
      }

      @Override
      public int read(long offset, ByteBuffer into) throws IOException {
        block();
        if (offset >= content.length) {
          return -1;
        }
        int count = (int) Math.min(Math.min(into.remaining(), content.length - offset), 100);
        into.put(content, (int) offset, count);
        return count;
      }

      @Override
      public long size() throws IOException {
        block();
        return content.length;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void write(String name, InputStream content) throws IOException {
    put(name, content.readAllBytes());
  }
}
