package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * All elements of a node, each computed by one thread; where the node is an image of few channels,
 * all channels of a pixel by one.
 */
final class ElementJob extends Job {
  /** So many channels are computed by one thread at most. */
  static final int MOST_CHANNELS = 4;

  /** How many elements or pixels a thread computes one after the other, if there are enough. */
  private static final int PER_THREAD = 4;

  /** From so many blocks on a device is busy, and threads may do more than one item each. */
  private static final long MANY_BLOCKS = 1 << 10;

  private static final int MOST_BLOCKS = 1 << 20;

  private final Node root;
  private final MemoryPlace to;

  /** Which dimension is that of the channels that one thread computes, or -1. */
  private final int channelAxis;

  ElementJob(Node root, MemoryPlace to) {
    super("elements" + channels(root), List.of(root));
    this.root = root;
    this.to = to;
    this.channelAxis = channelAxis(root);
  }

  private static String channels(Node root) {
    int axis = channelAxis(root);
    return axis < 0 ? "" : " x" + root.shape().dim(axis);
  }

  private static int channelAxis(Node root) {
    int axis = imageChannels(root);
    return axis >= 0 && root.shape().dim(axis) <= MOST_CHANNELS ? axis : -1;
  }

  /** The dimension of the channels, found by the step on images that gave its shape; or -1. */
  private static int imageChannels(Node node) {
    int rank = node.shape().rank();
    return switch (node) {
      case MoveNodes.Transpose transpose -> transpose.isPlanar() ? rank - 3 : rank - 1;
      case ImageNode image -> rank - 1;
      case ElementwiseNode step -> imageChannels(step.source());
      case CombineNode combine -> {
        Node left = combine.sources().getFirst();
        Node right = combine.sources().getLast();
        int axis = left.shape().rank() == 0 ? -1 : imageChannels(left);
        yield axis >= 0 || right.shape().rank() == 0 ? axis : imageChannels(right);
      }
      default -> -1;
    };
  }

  /** Elements, or pixels. */
  private long items() {
    long elements = root.shape().elements();
    return channelAxis < 0 ? elements : elements / root.shape().dim(channelAxis);
  }

  // With several elements a thread, the numbers of the row are read once for them.
  @Override
  long blocks(int rows) {
    long most = (items() + THREADS - 1) / THREADS;
    long fewest = (most + PER_THREAD - 1) / PER_THREAD;
    long enough = (MANY_BLOCKS + rows - 1) / rows;
    return Math.min(MOST_BLOCKS, Math.max(fewest, Math.min(most, enough)));
  }

  @Override
  String entry() {
    return "headrace_elements";
  }

  @Override
  void generate(Code code) {
    Ptx ptx = code.ptx();
    Operand block = code.widened(ptx.special("%ctaid.x"));
    Operand threads = code.widened(ptx.special("%ntid.x"));
    Operand blocks = code.widened(ptx.special("%nctaid.x"));
    Operand first = code.add(code.multiply(block, threads), code.widened(ptx.special("%tid.x")));
    Operand items = code.row().index(this, "items", ElementJob::items, code.indexType());
    Operand step = code.multiply(blocks, threads);
    if (channelAxis >= 0) {
      ptx.loop(first, items, step, item -> generatePixel(code, item));
    } else {
      ptx.loop(
          first,
          items,
          code.multiply(step, code.index(atOnce())),
          item -> generateElements(code, item, step, items));
    }
  }

  private int atOnce() {
    return root.loops() ? 1 : PER_THREAD;
  }

  private void generatePixel(Code code, Operand item) {
    List<Index> at = channels(code, item);
    List<Value> values = root.values(code, at);
    for (int i = 0; i < at.size(); i++) {
      Numbers.store(code, values.get(i), place(code, at.get(i)));
    }
  }

  // Several elements at once, so that as many reads are under way. Where there are not so many
  // left, the first is computed again, and not stored.
  private void generateElements(Code code, Operand first, Operand step, Operand items) {
    Operand item = first;
    for (int i = 0; i < atOnce(); i++) {
      Operand isOne = code.compareUnsigned("lt", item, items);
      Operand computed = i == 0 ? first : code.select(isOne, item, first);
      Value value = root.value(code, Index.flat(computed));
      Numbers.store(code, value, place(code, Index.flat(computed)), i == 0 ? null : isOne);
      item = code.add(item, step);
    }
  }

  private Code.Location place(Code code, Index at) {
    Operand base = code.row().address(this, "to", job -> job.to);
    return code.locate(root, base, at, root.dtype().byteSize());
  }

  /** All channels of pixel number {@code item}. */
  private List<Index> channels(Code code, Operand item) {
    List<Operand> dims = new ArrayList<>(code.dims(root));
    dims.remove(channelAxis);
    List<Operand> pixel = Index.split(code, item, dims);
    List<Index> channels = new ArrayList<>();
    for (int channel = 0; channel < root.shape().dim(channelAxis); channel++) {
      List<Operand> coordinates = new ArrayList<>(pixel);
      coordinates.add(channelAxis, code.index(channel));
      channels.add(Index.at(coordinates));
    }
    return channels;
  }
}
