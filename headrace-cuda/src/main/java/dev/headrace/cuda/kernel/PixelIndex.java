package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * An element of an image [height, width, channels], or of a batch of them.
 *
 * @param image which image, in a list of one; empty where there is only one
 * @param y the row
 * @param x the column
 */
record PixelIndex(List<Operand> image, Operand y, Operand x, Operand channel) {

  /** The element of an image node that {@code index} means. */
  static PixelIndex of(Code code, Node node, Index index) {
    List<Operand> coordinates = index.coordinates(code, node);
    int y = coordinates.size() - 3;
    return new PixelIndex(
        List.copyOf(coordinates.subList(0, y)),
        coordinates.get(y),
        coordinates.get(y + 1),
        coordinates.get(y + 2));
  }

  /** The same channel of another pixel. */
  PixelIndex moved(Operand toY, Operand toX) {
    return new PixelIndex(image, toY, toX, channel);
  }

  /** Another channel of the pixel. */
  PixelIndex channel(Operand other) {
    return new PixelIndex(image, y, x, other);
  }

  /** Among [height, width, channels]. */
  Index index() {
    return ordered(y, x, channel);
  }

  /** In any order of dimensions. */
  Index ordered(Operand first, Operand second, Operand third) {
    List<Operand> coordinates = new ArrayList<>(image);
    coordinates.add(first);
    coordinates.add(second);
    coordinates.add(third);
    return Index.at(coordinates);
  }
}
