package dev.headrace.cuda.kernel;

import dev.headrace.data.CombineExpression;
import dev.headrace.data.DType;
import dev.headrace.data.ElementwiseExpression;
import dev.headrace.data.Expression;
import dev.headrace.data.ReduceExpression;
import dev.headrace.data.ReshapeExpression;
import dev.headrace.data.Shape;
import dev.headrace.data.StackExpression;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.AdjustExpression;
import dev.headrace.data.image.Adjustment;
import dev.headrace.data.image.ColourExpression;
import dev.headrace.data.image.ConvertImageExpression;
import dev.headrace.data.image.CropAndResizeExpression;
import dev.headrace.data.image.CropExpression;
import dev.headrace.data.image.ImageExpression;
import dev.headrace.data.image.ImageSource;
import dev.headrace.data.image.JpegSource;
import dev.headrace.data.image.LayoutExpression;
import dev.headrace.data.image.NormaliseExpression;
import dev.headrace.data.image.OrientExpression;
import dev.headrace.data.image.PadExpression;
import dev.headrace.data.image.Resampling;
import dev.headrace.data.image.StandardiseExpression;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes a program of a deferred tensor: nodes of its expressions, jobs of its nodes, launches of
 * its jobs.
 *
 * <pre>
 * normalise ← resize ← crop ← decodeJpeg    row 0 ┐
 * normalise ← resize ← crop ← decodeJpeg    row 1 │ one launch, since the structure is the same
 * normalise ← resize ← crop ← decodeJpeg    row 2 ┘
 * └────────── one job ──────┘  └ Decode
 * </pre>
 *
 * <p>A stack is computed row by row, and so are steps on a stack that work on each row by itself.
 * What the host has to compute, decode or copy comes first, into scratch memory; then launches,
 * those that others read before them.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class Planner {
  private static final long ALIGNMENT = 256;

  /** Up to so many terms a thread adds up by itself. */
  private static final long FEW_TERMS = 32;

  /** With so many results a device is busy, one thread for each. */
  private static final long MANY_RESULTS = 1 << 12;

  private static final int WHOLE = -1;

  private final List<Job> jobs = new ArrayList<>();
  private final Map<Tensor, Decoding> decodings = new IdentityHashMap<>();
  private final List<Decoding> decodes = new ArrayList<>();
  private final List<Program.HostValue> hostValues = new ArrayList<>();
  private final Map<Tensor, Map<Integer, Node>> nodes = new IdentityHashMap<>();
  private final Rows rows = new Rows();
  private long scratchBytes;

  /** The program that computes {@code tensor} into its target. */
  static Program plan(Tensor tensor) {
    Planner planner = new Planner();
    planner.place(tensor, new MemoryPlace(new Program.Target(), 0));
    return planner.program();
  }

  private Program program() {
    Map<Integer, Map<String, List<Job>>> levels = new TreeMap<>();
    for (Job job : jobs) {
      levels
          .computeIfAbsent(job.level(), level -> new LinkedHashMap<>())
          .computeIfAbsent(job.key(), key -> new ArrayList<>())
          .add(job);
    }
    List<Program.Launch> launches = new ArrayList<>();
    for (Map<String, List<Job>> level : levels.values()) {
      for (List<Job> alike : level.values()) {
        launches.addAll(Kernel.of(alike.getFirst()).launches(alike));
      }
    }
    List<Program.Scratch> scratch =
        scratchBytes == 0 ? List.of() : List.of(new Program.Scratch(scratchBytes));
    return new Program(
        launches, scratch, decodes.stream().map(Decoding::decode).toList(), hostValues);
  }

  /** Memory for the time of the program. */
  MemoryPlace scratch(long bytes) {
    long offset = scratchBytes;
    scratchBytes += (Math.max(1, bytes) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return new MemoryPlace(new Program.ScratchBuffer(0), offset);
  }

  // ---- whole tensors

  /** Lets a tensor be computed into a place. */
  private void place(Tensor tensor, MemoryPlace to) {
    if (tensor.elements() == 0) {
      return;
    }
    if (tensor.expression() instanceof StackExpression stack) {
      for (int row = 0; row < stack.rows().size(); row++) {
        place(stack.rows().get(row), rowAt(tensor, to, row));
      }
    } else if (isHostValue(tensor)) {
      hostValues.add(new Program.HostValue(tensor, to.buffer(), to.offset()));
    } else if (tensor.expression() instanceof JpegSource jpeg && isWhole(jpeg)) {
      decodes.add(new Decoding(jpeg, to));
    } else if (rows.isWorthwhile(tensor)) {
      for (int row = 0; row < tensor.shape().dim(0); row++) {
        jobs.add(new ElementJob(node(tensor, row), rowAt(tensor, to, row)));
      }
    } else if (tensor.expression() instanceof ReduceExpression reduce) {
      reduce(reduce, WHOLE, to);
    } else {
      jobs.add(new ElementJob(node(tensor, WHOLE), to));
    }
  }

  private static MemoryPlace rowAt(Tensor tensor, MemoryPlace to, int row) {
    long rowBytes = tensor.shape().dropFirst().elements() * tensor.dtype().byteSize();
    return new MemoryPlace(to.buffer(), to.offset() + row * rowBytes);
  }

  /** The tensor in scratch memory. */
  private Node materialised(Tensor tensor) {
    MemoryPlace to = scratch(tensor.byteSize());
    int before = jobs.size();
    place(tensor, to);
    return new Leaf(tensor.dtype(), tensor.shape(), to, levelAfter(before));
  }

  /** The level of what reads the results of all jobs but the first so many. */
  private int levelAfter(int before) {
    return jobs.subList(before, jobs.size()).stream().mapToInt(Job::level).max().orElse(-1) + 1;
  }

  // ---- what the host does

  /**
   * Whether the host gives the tensor: it has it, or nothing of it lies on the device. The result
   * of a user's own kernel counts as such: the code that runs the program launches that instead.
   */
  private static boolean isHostValue(Tensor tensor) {
    Expression expression = tensor.expression();
    if (expression == null) {
      return tensor.place() == null;
    }
    return switch (expression) {
      case OwnKernel own -> true;
      case JpegSource jpeg -> !jpeg.isPlain();
      // The host decodes no more of an image than its window.
      case CropExpression crop ->
          crop.source().expression() instanceof ImageSource && isHostValue(crop.source());
      default -> !isKnown(expression) && isOnHost(tensor);
    };
  }

  private static boolean isKnown(Expression expression) {
    return expression instanceof ImageExpression
        || expression instanceof ElementwiseExpression
        || expression instanceof CombineExpression
        || expression instanceof ReduceExpression
        || expression instanceof ReshapeExpression
        || expression instanceof StackExpression;
  }

  private static boolean isOnHost(Tensor tensor) {
    Expression expression = tensor.expression();
    return expression == null
        ? tensor.place() == null
        : expression.sources().stream().allMatch(Planner::isOnHost);
  }

  private Node hostValue(Tensor tensor) {
    if (!tensor.isDeferred() && tensor.elements() == 1) {
      return new Constant(tensor);
    }
    MemoryPlace to = scratch(tensor.byteSize());
    if (tensor.elements() > 0) {
      hostValues.add(new Program.HostValue(tensor, to.buffer(), to.offset()));
    }
    return new Leaf(tensor.dtype(), tensor.shape(), to, 0);
  }

  private static boolean isWhole(JpegSource jpeg) {
    return jpeg.shape().equals(jpeg.wholeShape());
  }

  private Decoding decoding(Tensor tensor, JpegSource jpeg) {
    return decodings.computeIfAbsent(
        tensor,
        key -> {
          Decoding made = new Decoding(jpeg, scratch(jpeg.wholeShape().elements()));
          decodes.add(made);
          return made;
        });
  }

  // ---- nodes

  /**
   * The node of a tensor, or of one of its rows.
   *
   * @param row which one, or {@link #WHOLE}
   */
  private Node node(Tensor tensor, int row) {
    Map<Integer, Node> known = nodes.computeIfAbsent(tensor, key -> new LinkedHashMap<>());
    Node node = known.get(row);
    if (node == null) {
      node = make(tensor, row);
      known.put(row, node);
    }
    return node;
  }

  private Node make(Tensor tensor, int row) {
    Expression expression = tensor.expression();
    if (row == WHOLE && isHostValue(tensor)) {
      return hostValue(tensor);
    }
    if (expression == null) {
      Tensor part = row == WHOLE ? tensor : tensor.slice(row);
      return part.place() == null
          ? hostValue(part)
          : new Leaf(part.dtype(), part.shape(), new MemoryPlace(new Program.Source(part), 0), 0);
    }
    Shape shape = row == WHOLE ? tensor.shape() : tensor.shape().dropFirst();
    return switch (expression) {
      case StackExpression stack ->
          row == WHOLE ? materialised(tensor) : node(stack.rows().get(row), WHOLE);
      case JpegSource jpeg -> decoding(tensor, jpeg).all();
      case CropExpression crop when crop.source().expression() instanceof JpegSource jpeg ->
          decoding(crop.source(), jpeg).window(crop.window());
      case ElementwiseExpression step -> new ElementwiseNode(step, shape, node(step.source(), row));
      case CombineExpression combine ->
          new CombineNode(
              combine, shape, operand(combine.left(), row), operand(combine.right(), row));
      case ReshapeExpression reshape -> new ReshapeNode(shape, node(reshape.source(), row));
      case ReduceExpression reduce -> {
        MemoryPlace to = scratch(shape.elements() * reduce.dtype().byteSize());
        int before = jobs.size();
        reduce(reduce, row, to);
        yield new Leaf(reduce.dtype(), shape, to, levelAfter(before));
      }
      case ImageExpression image -> imageNode(image, shape, node(image.source(), row));
      default ->
          throw new UnsupportedOperationException(
              "device: expected steps that a GPU can compute, but got %s; let map compute it before"
                      .formatted(expression.describe())
                  + " prefetchToDevice");
    };
  }

  private Node operand(Tensor tensor, int row) {
    return node(tensor, tensor.shape().rank() == 0 ? WHOLE : row);
  }

  private Node imageNode(ImageExpression expression, Shape shape, Node source) {
    return switch (expression) {
      case CropExpression crop -> new MoveNodes.Crop(crop, shape, source);
      case PadExpression pad -> new MoveNodes.Pad(pad, shape, source);
      case OrientExpression orient -> new MoveNodes.Orient(orient, shape, source);
      case LayoutExpression layout -> new MoveNodes.Transpose(layout, shape, source);
      case Resampling resampling when !resampling.givesFloats() ->
          new ResampleNodes.Nearest(resampling, shape, source);
      case Resampling resampling when resampling.vertical().isLinear() ->
          new ResampleNodes.Bilinear(resampling, shape, source);
      case Resampling resampling -> new ResampleNodes.Tapped(resampling, shape, source);
      case CropAndResizeExpression boxes -> new ResampleNodes.Boxes(boxes, source);
      case NormaliseExpression normalise -> new ImageStepNodes.Normalise(normalise, shape, source);
      case ConvertImageExpression convert ->
          new ImageStepNodes.ConvertImage(convert, shape, source);
      case ColourExpression colour -> new ImageStepNodes.Recolour(colour, shape, source);
      case StandardiseExpression standardise ->
          new ImageStepNodes.Standardise(
              shape, source, statistics(new Accumulations.Deviations(source), 2));
      case AdjustExpression adjust ->
          switch (adjust.adjustment()) {
            case Adjustment.Contrast contrast ->
                new ImageStepNodes.AdjustValues(
                    adjust,
                    shape,
                    source,
                    statistics(new Accumulations.ChannelMeans(source), ImageNode.channels(source)));
            case Adjustment.Brightness brightness ->
                new ImageStepNodes.AdjustValues(adjust, shape, source);
            case Adjustment.Gamma gamma -> new ImageStepNodes.AdjustValues(adjust, shape, source);
            case Adjustment.Saturation saturation ->
                new ImageStepNodes.AdjustColours(adjust, shape, source);
            case Adjustment.Hue hue -> new ImageStepNodes.AdjustColours(adjust, shape, source);
          };
    };
  }

  /** A few floats for each image, computed by a launch before. */
  private Node statistics(Accumulation accumulation, int count) {
    Shape image = accumulation.source().shape();
    Shape shape = image.rank() == 4 ? Shape.of(image.dim(0), count) : Shape.of(count);
    MemoryPlace to = scratch(shape.elements() * DType.FLOAT32.byteSize());
    int before = jobs.size();
    if (shape.elements() > 0) {
      jobs.addAll(ReduceJob.of(accumulation, to, this));
    }
    return new Leaf(DType.FLOAT32, shape, to, levelAfter(before));
  }

  /** Adds the jobs of a reduction, of a whole tensor or of one of its rows. */
  private void reduce(ReduceExpression expression, int row, MemoryPlace to) {
    int dropped = row == WHOLE ? 0 : 1;
    Shape shape = dropped == 0 ? expression.shape() : expression.shape().dropFirst();
    if (shape.elements() == 0) {
      return;
    }
    Node source = node(expression.source(), row);
    List<Integer> axes = expression.axes().stream().map(axis -> axis - dropped).toList();
    ReducedIndex elements = new ReducedIndex(source, axes);
    Fold fold = new Fold(expression.reduction(), expression.dtype());
    // Neighbouring threads read neighbouring elements, if the last axis is kept.
    boolean isSideBySide = !axes.contains(source.shape().rank() - 1);
    if (elements.terms() <= FEW_TERMS || (isSideBySide && shape.elements() >= MANY_RESULTS)) {
      jobs.add(new ElementJob(new FoldNode(fold, elements, shape), to));
    } else {
      jobs.addAll(ReduceJob.of(new Accumulations.Folding(fold, elements, shape), to, this));
    }
  }
}
