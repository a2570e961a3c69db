package dev.headrace.op;

import dev.headrace.data.BlockReader;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.Seed;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.ContentIdentity;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Draws;
import dev.headrace.spi.ElementReader;
import dev.headrace.spi.ElementWriter;
import dev.headrace.spi.Op;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.spi.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the passes of a pipeline over a file cache share: the file, whether it is what the plan
 * makes, and from where its content can be made again.
 *
 * <p><b>Threading:</b> guarded by itself. <b>Ownership:</b> the pipeline's; holds nothing open.
 */
final class CacheFile implements AutoCloseable {
  /*
   * The content is always that of pass 0, under no prefix, whatever epoch or repetition makes it,
   * and random operators draw as if nothing followed: so it does not depend on who made it. The file
   * tells where that pass began (a seed that was drawn, an order that was met), so that a pipeline
   * that has read a part of it can go on without.
   *
   * A plan that has no identity writes its file under one that no other run has, and removes it at
   * the end: so only the epochs of this run share it.
   */
  private static final String PLAN = "plan";
  private static final String START = "start";
  private static final String SOURCES = "sources";
  private static final String DRAWN = "drawnBefore";
  private static final String AT = "at";
  private static final int MOST_SAMPLES = 100;

  private final Op input;
  private final PlanIdentity plan;
  private final Path path;
  private final boolean isOfThisRunOnly;
  private final ElementCodec codec = new ElementCodec();

  /** What the sources say of their data, once it was asked. */
  private @Nullable List<String> sources;

  /** Where the pass that gives the content begins; null while that is not known. */
  private @Nullable State start;

  /** What operators without a seed before it draw theirs from. */
  private final Draws draws;

  /** Whether elements were given from there; until then a checkpoint may tell another one. */
  private boolean begun;

  /** Whether a pass has given everything, so that failures are not to be given again. */
  private boolean given;

  /** The digest of the content that was read or written, or that a checkpoint told. */
  private @Nullable String content;

  /** Makes what passes share; {@code plan} is the identity of what gives the elements. */
  CacheFile(Op input, PlanIdentity plan, Path path, Draws draws) {
    this.input = input;
    this.draws = draws;
    this.isOfThisRunOnly = plan.missing() != null;
    this.plan = isOfThisRunOnly ? plan.ofThisRunOnly() : plan;
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
  synchronized @Nullable ElementReader find(Context context) {
    if (!Files.exists(path)) {
      return null;
    }
    String why;
    try {
      ElementReader reader = new ElementReader(path, codec);
      why = whyNot(reader, context.seedBefore());
      if (why == null) {
        return reader;
      }
      reader.close();
    } catch (BlockReader.AnotherKind e) {
      throw new IllegalStateException(
          "%s: expected a file of a cache or none, but %s is a file of another kind, which is left as it is; name another path"
              .formatted(context.path(), path),
          e);
    } catch (IOException e) {
      why = e.getMessage();
    }
    if (!isOfThisRunOnly) { // otherwise it was said that nothing is used again
      context.warn("%s: making %s again: %s".formatted(context.path(), path, why));
    }
    return null;
  }

  private @Nullable String whyNot(ElementReader reader, @Nullable Seed before) {
    String difference = plan.differenceFrom(reader.facts().get(PLAN));
    if (difference != null) {
      return "it was made by another plan (" + difference + ")";
    }
    if (!(reader.facts().get(START) instanceof Map<?, ?> from)) {
      return "it does not tell where it began";
    }
    boolean isSame =
        content != null
            ? content.equals(reader.digest())
            : begun ? sameContent(from, start().toMap()) : mayBeDrawnFrom(before, reader);
    if (!isSame) {
      return "it has other elements than before";
    }
    if (!sources().equals(reader.facts().get(SOURCES))) {
      return "the files or weights it was made from have changed";
    }
    return null;
  }

  /**
   * Elements that were given before may be from it, though no position tells: it was opened late.
   */
  private static boolean mayBeDrawnFrom(@Nullable Seed before, ElementReader reader) {
    State itsStart = startOf(reader);
    if (before == null || !itsStart.has(DRAWN)) {
      return true;
    }
    long[] drawn = itsStart.numbers(DRAWN);
    return drawn.length >= 3 && drawn[1] == before.first() && drawn[2] == before.second();
  }

  private static boolean sameContent(Map<?, ?> one, Map<?, ?> other) {
    return ContentIdentity.of(one).hash().equals(ContentIdentity.of(other).hash());
  }

  /** What the sources said of their data before it was read. */
  private List<String> sources() {
    List<String> known = sources;
    if (known == null) {
      known = sourcesNow();
      sources = known;
    }
    return known;
  }

  /** What the sources say of their data, the first one last. */
  private List<String> sourcesNow() {
    List<String> versions = new ArrayList<>();
    ArrayDeque<Op> left = new ArrayDeque<>(List.of(input));
    while (!left.isEmpty()) {
      Op op = left.pop();
      String version = op.dataVersion();
      if (!version.isEmpty()) {
        versions.add(version);
      }
      op.inputs().reversed().forEach(left::push);
    }
    return versions;
  }

  /** Where the pass began that wrote a file which was found. */
  static State startOf(ElementReader found) {
    return State.ofMap((Map<?, ?>) Objects.requireNonNull(found.facts().get(START)));
  }

  /**
   * Takes a file that was found for the content; false if other elements were given meanwhile. No
   * class is loaded by its name: record classes are learned from the input's first elements.
   */
  synchronized boolean take(ElementReader found, Context context) {
    if (content != null && !content.equals(found.digest())) {
      return false;
    }
    if (!found.unknownRecords().isEmpty()) {
      learn(found, context);
    }
    content = found.digest();
    given = true;
    if (!begun) {
      takeStart(startOf(found));
      draws.toSeed().ifPresent(context::tellSeed);
    }
    begun = true;
    return true;
  }

  private void learn(ElementReader reader, Context context) {
    Chunk sample = new Chunk();
    try (Cursor source = openInput(context)) {
      for (int i = 0; i < MOST_SAMPLES && !reader.unknownRecords().isEmpty(); i++) {
        source.fill(sample, 1);
        if (sample.isEmpty()) {
          return;
        }
        codec.learn(sample.isFailure(0) ? null : sample.item(0));
      }
    }
  }

  /**
   * Completes the file, which then has all elements from the start on; false if they are other ones
   * than those that were given before.
   */
  synchronized boolean publish(ElementWriter writer) throws IOException {
    Objects.requireNonNull(start, "a pass has begun");
    if (!sourcesNow().equals(sources())) { // parts of it are from before: only this run knows them
      sources = List.of("changed while it was read, " + UUID.randomUUID());
    }
    writer.finish(Map.of(PLAN, plan.toFacts(), START, start().toMap(), SOURCES, sources()));
    String before = content;
    try (ElementReader reader = new ElementReader(path, codec)) {
      content = reader.digest();
    }
    return before == null || before.equals(content);
  }

  /** Takes over what a checkpoint tells of the content. */
  synchronized void resume(State from, boolean wasGiven, String digest) {
    if (!begun) {
      takeStart(from);
    }
    begun = true;
    given |= wasGiven;
    content = content == null && !digest.isEmpty() ? digest : content;
  }

  Cursor openInput(Context context) {
    return context.openAlone(input, draws);
  }

  /** Opens the input for a whole pass from the start. */
  synchronized Cursor openFromStart(Context context) {
    List<String> _ = sources(); // before anything is read, so that a change meanwhile is seen
    Cursor source = openInput(context);
    if (start != null
        && begun) { // else caches before it would begin, and a checkpoint come too late
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

  /** Whether a pass before this one has given everything, in this life or an earlier one. */
  synchronized boolean isGiven(Context context) {
    return given || !context.ranBefore().orElse(true);
  }

  /** Where the content begins: what was drawn, if something was, and the position of the input. */
  synchronized State start() {
    State known = start == null ? State.START : start;
    long[] drawn = draws.seeds();
    return drawn.length == 0 ? known : State.of(DRAWN, drawn, AT, known);
  }

  private void takeStart(State told) {
    boolean hasDrawn = told.has(DRAWN) && told.has(AT);
    if (hasDrawn) {
      draws.restore(told.numbers(DRAWN));
    }
    start = hasDrawn ? told.state(AT) : told;
  }

  synchronized String content() {
    return content == null ? "" : content;
  }

  /** Removes a file that can no longer be used. */
  @Override
  public synchronized void close() throws IOException {
    if (!isOfThisRunOnly || !Files.exists(path)) {
      return;
    }
    boolean isOurs;
    try (ElementReader reader = new ElementReader(path, codec)) {
      isOurs = plan.differenceFrom(reader.facts().get(PLAN)) == null;
    } catch (BlockReader.AnotherKind e) {
      return;
    }
    if (isOurs) {
      Files.deleteIfExists(path);
    }
  }
}
