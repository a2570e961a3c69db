package dev.headrace.data.image;

/** Gives the rows of one image as floats, one after the other. */
interface Rows {
  /** More floats than a row has that {@code into} must have room for: loops may write that far. */
  int SLACK = 8;

  /** Writes row {@code y} to the beginning of {@code into}. */
  void row(int y, float[] into);
}
