package dev.headrace.profile.lint;

import dev.headrace.op.MapOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.WindowOp;
import dev.headrace.spi.Duty;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Generator;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Parallelism;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Which operators have threads, and which do something worth one. */
final class Threads {
  private static final Set<Effect> STILL_WINDOWS =
      EnumSet.complementOf(
          EnumSet.of(Effect.CHANGES, Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

  private Threads() {}

  /** Whether the operator has threads of its own, so that who pulls it does not do its work. */
  static boolean isStage(Op op) {
    return isPrefetch(op) || op.parallelism() != Parallelism.SEQUENTIAL || isOnDevice(op);
  }

  /** Whether its elements are on a device. */
  static boolean isOnDevice(Op op) {
    return op.traits().duty() == Duty.ON_DEVICE;
  }

  /** Whether it reads ahead; {@code prefetch(0)} does not. */
  static boolean isPrefetch(Op op) {
    return op instanceof PrefetchOp prefetch && prefetch.buffer() != 0;
  }

  /** Whether it makes elements by a function of the user, in the thread that pulls it. */
  static boolean runsFunctionInline(Node node) {
    Op op = node.op();
    Set<Effect> effects = Effect.of(op);
    boolean makesElements =
        effects.contains(Effect.COMPUTES)
            && (effects.contains(Effect.CHANGES)
                || (effects.contains(Effect.EXPANDS) && !takesWindowsApart(node)));
    boolean asksForIt = op instanceof MapOp map && map.synchronous();
    return makesElements && !asksForIt && op.parallelism() == Parallelism.SEQUENTIAL;
  }

  /** Windows hold their elements already; reading them is no work. */
  static boolean takesWindowsApart(Node node) {
    return node.behind(STILL_WINDOWS, op -> op instanceof WindowOp) != null;
  }

  /** Whether it asks a condition of the user about each element, in the thread that pulls it. */
  static boolean asksInline(Op op) {
    return Effect.of(op).containsAll(Set.of(Effect.COMPUTES, Effect.DROPS))
        && OpShape.of(op.getClass()).parts(op, FunctionIdentity.Named.class).isEmpty()
        && op.parallelism() == Parallelism.SEQUENTIAL;
  }

  /** Whether it is a source that reads files or asks a generator, in the thread that pulls it. */
  static boolean readsInline(Op op) {
    OpShape shape = OpShape.of(op.getClass());
    return op.inputs().isEmpty()
        && (shape.part(op, InputFiles.class).isPresent()
            || shape.part(op, Path.class).isPresent()
            || shape.part(op, Generator.class).isPresent());
  }

  /** Whether the consumer's own thread runs this operator in every pass. */
  static boolean isOnConsumersThread(Node node) {
    return !isStage(node.op()) && !node.anyAbove(above -> isStage(above) || Node.isCache(above));
  }
}
