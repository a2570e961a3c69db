package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import java.util.List;

/** A step on images [height, width, channels], or on each of a batch of them. */
abstract class ImageNode extends Node {
  ImageNode(DType dtype, Shape shape, Node... sources) {
    super(dtype, shape, sources);
  }

  /** The rows of an image. */
  static long height(Node node) {
    return node.shape().dim(node.shape().rank() - 3);
  }

  /** The columns of an image. */
  static long width(Node node) {
    return node.shape().dim(node.shape().rank() - 2);
  }

  static int channels(Node node) {
    return Math.toIntExact(node.shape().dim(node.shape().rank() - 1));
  }

  /** The last row of the source, as an index. */
  final Operand lastRow(Code code) {
    return code.row().index(source(), "lastRow", n -> height(n) - 1, code.indexType());
  }

  /** The last column of the source, as an index. */
  final Operand lastColumn(Code code) {
    return code.row().index(source(), "lastColumn", n -> width(n) - 1, code.indexType());
  }

  @Override
  final List<Value> generate(Code code, List<Index> at) {
    return pixels(code, at.stream().map(index -> PixelIndex.of(code, this, index)).toList());
  }

  abstract List<Value> pixels(Code code, List<PixelIndex> at);

  /** Elements of the source. */
  final List<Value> read(Code code, List<PixelIndex> at) {
    return source().values(code, at.stream().map(PixelIndex::index).toList());
  }
}
