package dev.headrace.op;

import dev.headrace.data.ElementCodec;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ElementReader;
import dev.headrace.spi.ElementWriter;
import dev.headrace.spi.Op;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the passes of a pipeline over a file cache share: the file, whether it is what the plan
 * makes, and from where its content can be made again.
 *
 * <p><b>Threading:</b> guarded by itself. <b>Ownership:</b> the pipeline's; holds nothing open.
 */
final class CacheFile {
  /*
   * The content is always that of pass 0, under no prefix, whatever epoch or repetition makes it:
   * so it does not depend on who made it. The file tells where that pass began (a seed that was
   * drawn, an order that was met), so that a pipeline that has read a part of it can go on without.
   */
  private static final String PLAN = "plan";
  private static final String START = "start";
  private static final int MOST_SAMPLES = 100;

  private final Op input;
  private final PlanIdentity plan;
  private final Path path;
  private final ElementCodec codec = new ElementCodec();

  /** Where the pass that gives the content begins; null while that is not known. */
  private @Nullable State start;

  /** Whether elements were given from there; until then a checkpoint may tell another one. */
  private boolean begun;

  /** Whether a pass has given everything, so that failures are not to be given again. */
  private boolean given;

  /** The digest of the content that was read or written. */
  private @Nullable String content;

  private boolean sourcesChecked;

  CacheFile(Op input, PlanIdentity plan, Path path) {
    this.input = input;
    this.plan = plan;
    this.path = path;
  }

  Path path() {
    return path;
  }

  /** Tells the record classes that may be met. */
  ElementCodec codec() {
    return codec;
  }

  /** Opens the file, if it is there and what this plan makes; says why where it is not. */
  synchronized @Nullable ElementReader read(Context context) {
    if (!Files.exists(path)) {
      return null;
    }
    String why;
    try {
      ElementReader reader = new ElementReader(path, codec);
      why = whyNot(reader, context);
      if (why == null) {
        take(reader);
        return reader;
      }
      reader.close();
    } catch (IOException e) {
      why = e.getMessage();
    }
    context.warn("%s: making %s again: %s".formatted(context.path(), path, why));
    return null;
  }

  private @Nullable String whyNot(ElementReader reader, Context context) {
    String difference = plan.differenceFrom(reader.facts().get(PLAN));
    if (difference != null) {
      return "it was made by another plan (" + difference + ")";
    }
    if (content != null && !content.equals(reader.digest())) {
      return "it has other elements than before";
    }
    if (!(reader.facts().get(START) instanceof Map<?, ?> from)) {
      return "it does not tell where it began";
    }
    if (!sourcesChecked) {
      try (Cursor source = openInput(context)) {
        if (!texts(source.save().toMap()).equals(texts(from))) {
          return "the files it was made from have changed";
        }
      }
      sourcesChecked = true;
    }
    if (!reader.unknownRecords().isEmpty()) {
      learn(reader, context);
    }
    return null;
  }

  /** In the state of a pass that begins, texts are what sources know their data by. */
  private static TreeSet<String> texts(@Nullable Object state) {
    TreeSet<String> texts = new TreeSet<>();
    switch (state) {
      case String text -> texts.add(text);
      case Map<?, ?> map -> map.values().forEach(value -> texts.addAll(texts(value)));
      case List<?> states -> states.forEach(value -> texts.addAll(texts(value)));
      case null, default -> {}
    }
    return texts;
  }

  /** No class is loaded by its name: record classes are learnt from the input's first elements. */
  private void learn(ElementReader reader, Context context) {
    Chunk sample = new Chunk();
    try (Cursor source = context.open(0, null, 1)) {
      for (int i = 0; i < MOST_SAMPLES && !reader.unknownRecords().isEmpty(); i++) {
        source.fill(sample, 1);
        if (sample.isEmpty()) {
          return;
        }
        codec.learn(sample.isFailure(0) ? null : sample.item(0));
      }
    }
  }

  private void take(ElementReader reader) {
    content = reader.digest();
    given = true;
    if (!begun && reader.facts().get(START) instanceof Map<?, ?> from) {
      start = State.ofMap(from);
      begun = true;
    }
  }

  /** Completes the file, which then has all elements from the start on. */
  synchronized void publish(ElementWriter writer) throws IOException {
    State began = Objects.requireNonNull(start, "a pass has begun");
    writer.finish(Map.of(PLAN, plan.toFacts(), START, began.toMap()));
    sourcesChecked = true;
    try (ElementReader reader = new ElementReader(path, codec)) {
      content = reader.digest();
    }
  }

  /** Takes over what a checkpoint tells of the content. */
  synchronized void resume(State from, boolean wasGiven, String digest) {
    start = begun ? start : from;
    begun = true;
    given |= wasGiven;
    content = content == null && !digest.isEmpty() ? digest : content;
  }

  Cursor openInput(Context context) {
    return context.open(input, 0, null);
  }

  /** Opens the input for a whole pass from the start. */
  synchronized Cursor openFromStart(Context context) {
    Cursor source = openInput(context);
    if (start != null) {
      source.restore(start);
    }
    start = source.save(); // of this life, which goes on noting the order it meets
    return source;
  }

  synchronized void begins() {
    begun = true;
  }

  synchronized void hasGivenAll() {
    given = true;
  }

  synchronized boolean isGiven() {
    return given;
  }

  synchronized State start() {
    return start == null ? State.START : start;
  }

  synchronized String content() {
    return content == null ? "" : content;
  }
}
