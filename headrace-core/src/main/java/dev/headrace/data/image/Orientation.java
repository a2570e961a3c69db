package dev.headrace.data.image;

/** The ways to turn or mirror an image that move whole pixels. */
public enum Orientation {
  FLIP_LEFT_RIGHT("flipLeftRight", false, false, true),
  FLIP_UP_DOWN("flipUpDown", false, true, false),
  TRANSPOSE("transpose", true, false, false),
  /** A quarter turn, against the clock. */
  ROT90("rot90", true, false, true),
  ROT180("rot180", false, true, true),
  ROT270("rot270", true, true, false);

  private final String word;
  private final boolean swaps;
  private final boolean reversesRows;
  private final boolean reversesColumns;

  Orientation(String word, boolean swaps, boolean reversesRows, boolean reversesColumns) {
    this.word = word;
    this.swaps = swaps;
    this.reversesRows = reversesRows;
    this.reversesColumns = reversesColumns;
  }

  /** The name in messages and descriptions. */
  public String word() {
    return word;
  }

  /** Whether the rows of the result are columns of the source. */
  public boolean swaps() {
    return swaps;
  }

  /** Whether the source is read from its last row on. */
  public boolean reversesRows() {
    return reversesRows;
  }

  /** Whether the source is read from its last column on. */
  public boolean reversesColumns() {
    return reversesColumns;
  }
}
