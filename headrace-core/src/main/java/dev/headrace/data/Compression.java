package dev.headrace.data;

/** How the blocks of an element file are packed. */
public enum Compression {
  /** As they are: fastest to read, and random access costs least. */
  NONE,
  /** By the algorithm of gzip, at its fast level. */
  DEFLATE
}
