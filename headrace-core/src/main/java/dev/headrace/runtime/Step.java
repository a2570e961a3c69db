package dev.headrace.runtime;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The steps of a stage and its crew, each a place where a test lets a failure happen. */
enum Step {
  HIRE,
  NAP,
  BEGIN,
  SAVE,
  APPEND,
  PULL,
  PULLED,
  WORK,
  SPLIT,
  WEIGH,
  FINISH,
  HAND_OVER,
  LEAVE;

  /** What a test does at each step; null, and so almost free, everywhere else. */
  static volatile @Nullable Consumer<Step> probe;

  void reached() {
    Consumer<Step> present = probe;
    if (present != null) {
      present.accept(this);
    }
  }
}
