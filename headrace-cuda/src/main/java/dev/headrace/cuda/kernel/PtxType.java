package dev.headrace.cuda.kernel;

/** The kinds of registers. Whether an integer is signed is for each instruction to say. */
enum PtxType {
  PREDICATE("pred", 'p', 0),
  B16("b16", 'h', 2),
  B32("b32", 'r', 4),
  B64("b64", 'l', 8),
  F32("f32", 'f', 4),
  F64("f64", 'd', 8);

  private final String word;
  private final char letter;
  private final int bytes;

  PtxType(String word, char letter, int bytes) {
    this.word = word;
    this.letter = letter;
    this.bytes = bytes;
  }

  /** The type's name in the language. */
  String word() {
    return word;
  }

  /** What the names of its registers begin with. */
  char letter() {
    return letter;
  }

  /** The size of a register, 0 for predicates. */
  int bytes() {
    return bytes;
  }

  boolean isFloating() {
    return this == F32 || this == F64;
  }
}
