package dev.headrace.spi;

/** How an operator's position is described by a checkpoint. */
public enum Checkpointing {
  /** By a position that costs nothing to return to. */
  CURSOR,
  /** By a position that is reached again by reading again. */
  REPLAY,
  /** By data that the checkpoint carries. */
  VALUE,
  /** Not at all: a pipeline with such an operator has no checkpoints. */
  NONE
}
