package dev.headrace.profile.lint;

import dev.headrace.op.FlatMapOp;
import dev.headrace.op.InterleaveOp;
import dev.headrace.op.MapOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.WindowOp;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Generator;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Parallelism;
import java.nio.file.Path;

/** Which operators have threads, and which do something worth one. */
final class Threads {
  /** The operator that copies to a device, which may be defined elsewhere. */
  static final String TO_DEVICE = "prefetchToDevice";

  private Threads() {}

  /** Whether the operator has threads of its own, so that who pulls it does not do its work. */
  static boolean isStage(Op op) {
    return isPrefetch(op)
        || op.parallelism() != Parallelism.SEQUENTIAL
        || op.word().equals(TO_DEVICE);
  }

  /** Whether it reads ahead; {@code prefetch(0)} does not. */
  static boolean isPrefetch(Op op) {
    return op instanceof PrefetchOp prefetch && prefetch.buffer() != 0;
  }

  /**
   * Whether it makes elements by a function of the user, in the thread that pulls it. Windows hold
   * their elements already; reading them is no work.
   */
  static boolean runsFunctionInline(Op op) {
    boolean makesElements =
        op.traits().deferring() == Deferring.COMPOSES
            || (op instanceof FlatMapOp flat && !(flat.input() instanceof WindowOp))
            || (op instanceof InterleaveOp turns && !(turns.input() instanceof WindowOp));
    boolean asksForIt = op instanceof MapOp map && map.synchronous();
    return makesElements && !asksForIt && op.parallelism() == Parallelism.SEQUENTIAL;
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
