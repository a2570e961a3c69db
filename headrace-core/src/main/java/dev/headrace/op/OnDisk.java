package dev.headrace.op;

import dev.headrace.data.HeapLayout;

/** Stands for an element that is on disk. */
record OnDisk(long address) {
  /** What it takes in memory. */
  static final long BYTES = HeapLayout.object(8);
}
