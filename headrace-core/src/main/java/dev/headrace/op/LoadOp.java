package dev.headrace.op;

import dev.headrace.data.BlockReader;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.Log;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ElementReader;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a file that was saved.
 *
 * @param records the record classes that may be met; none is loaded by its name
 */
public record LoadOp(Path file, List<Class<?>> records, Site site) implements Op {

  public LoadOp {
    Objects.requireNonNull(file, "load: expected a file, but got null");
    records = List.copyOf(records);
    for (Class<?> type : records) {
      if (!type.isRecord() && !type.isSealed()) {
        throw new IllegalArgumentException(
            "load: expected classes of records, but got %s; leave out what is not a record"
                .formatted(type.getName()));
      }
    }
  }

  /** How many elements the file has now; unknown where it cannot be read. */
  @Override
  public long cardinality() {
    try (BlockReader reader = new BlockReader(file)) {
      return reader.elements();
    } catch (IOException e) {
      return UNKNOWN; // said when it is read
    }
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asNeverFailing();
  }

  private ElementReader read() throws IOException {
    ElementCodec codec = new ElementCodec();
    records.forEach(codec::learnClass);
    ElementReader reader = new ElementReader(file, codec);
    if (!reader.unknownRecords().isEmpty()) {
      List<String> unknown = reader.unknownRecords();
      reader.close();
      throw new IOException(
          "load: expected to be told the classes of all records in %s, but was not told of %s; add them: load(file, %s.class)"
              .formatted(file, unknown, simpleName(unknown.getFirst())));
    }
    return reader;
  }

  private static String simpleName(String name) {
    return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  }

  @Override
  public Access access() {
    try {
      return new FileAccess(this);
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @Override
  public String dataVersion() {
    try (BlockReader reader = new BlockReader(file)) {
      return reader.digest();
    } catch (IOException e) {
      return ""; // said when it is read
    }
  }

  @Override
  public Cursor open(Context context) {
    return new LoadCursor(context, this, context.shared(AtomicReference::new));
  }

  /** Elements by index; as many readers as there are threads that read at once. */
  private static final class FileAccess implements Access {
    private final LoadOp op;
    private final long size;
    private final String content;
    private final ConcurrentLinkedQueue<ElementReader> idle = new ConcurrentLinkedQueue<>();

    FileAccess(LoadOp op) throws IOException {
      this.op = op;
      ElementReader reader = op.read();
      this.size = reader.elements();
      this.content = reader.digest();
      idle.add(reader);
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public String fingerprint() {
      return content;
    }

    @Override
    public Object at(long index) throws IOException {
      ElementReader reader = idle.poll();
      if (reader == null) {
        reader = op.read();
        if (!reader.digest().equals(content)) {
          reader.close();
          throw new IOException("load: " + op.file + " was changed while it was read");
        }
      }
      try {
        return reader.at(index);
      } finally {
        idle.add(reader);
      }
    }

    @Override
    public void close() {
      for (ElementReader reader = idle.poll(); reader != null; reader = idle.poll()) {
        closeQuietly(reader);
      }
    }
  }

  private static void closeQuietly(ElementReader reader) {
    try {
      reader.close();
    } catch (IOException e) {
      Log.named("headrace.load").log(System.Logger.Level.WARNING, "close: " + e);
    }
  }

  private static final class LoadCursor extends Cursor {
    private final LoadOp op;

    /** The digest of the file, the same in all passes of a pipeline. */
    private final AtomicReference<@Nullable String> content;

    private @Nullable ElementReader reader;
    private long position;
    private boolean broken;

    LoadCursor(Context context, LoadOp op, AtomicReference<@Nullable String> content) {
      super(context);
      this.op = op;
      this.content = content;
    }

    private ElementReader reader() throws IOException {
      ElementReader known = reader;
      if (known != null) {
        return known;
      }
      ElementReader opened = op.read();
      String before = content.compareAndExchange(null, opened.digest());
      if (before != null && !before.equals(opened.digest())) {
        opened.close();
        throw new IOException(
            "load: expected %s as it was when the pipeline began to read it, but it was changed"
                .formatted(op.file));
      }
      opened.seek(position);
      reader = opened;
      return opened;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (broken) {
        return;
      }
      try {
        ElementReader from = reader();
        from.read(out, max);
        position = from.position();
      } catch (IOException e) {
        broken = true;
        out.clear();
        out.add(new Failure(context.path(), null, e, true), context.prefix(), 0);
        return;
      }
      out.reparent(parent -> context.prefix());
    }

    @Override
    public void skip(long count) {
      position += Math.min(count, Long.MAX_VALUE - position);
      ElementReader from = reader;
      if (from != null) {
        from.seek(position);
        position = from.position();
      }
    }

    @Override
    protected State position() {
      String digest = content.get();
      if (digest == null) {
        return position == 0 ? State.START : State.of("position", position);
      }
      return State.of("position", position, "content", digest);
    }

    @Override
    protected void moveTo(State state) {
      position = state.number("position");
      if (position < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a position of 0 or more for load, but got " + position);
      }
      if (!state.has("content")) {
        return;
      }
      try {
        String digest = state.text("content");
        String now = reader().digest();
        if (!now.equals(digest)) {
          throw new State.InvalidState(
              "checkpoint: expected %s as it was when it was taken, but the file was changed since; restore it, or start the epoch again"
                  .formatted(op.file));
        }
      } catch (IOException e) {
        return; // said by the next element
      }
    }

    @Override
    public void close() {
      ElementReader from = reader;
      if (from != null) {
        closeQuietly(from);
      }
    }
  }
}
