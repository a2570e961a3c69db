package dev.headrace.data;

import java.nio.charset.StandardCharsets;

/*
 * A block file, big-endian:
 *
 *   start     "HRBLOCKS"  version int  compression int
 *   block *   stored length int  plain length int  elements int  sum int  stored bytes
 *   footer    blocks int  { offset long  elements int } *  digest long  facts (ElementCodec map)
 *   end       footer offset long  footer length int  sum of all of this int  "HRCLOSED"
 *
 * A block's sum is the CRC32C of its plain length, its number of elements and its plain bytes. The
 * digest is made of the blocks' sums: two files with the same elements have the same one, however
 * they are packed. The end is written last, so a file without it was not finished.
 */
final class BlockFormat {
  static final byte[] START = "HRBLOCKS".getBytes(StandardCharsets.US_ASCII);
  static final byte[] END = "HRCLOSED".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 1;
  static final int START_BYTES = 16;
  static final int BLOCK_HEADER_BYTES = 16;
  static final int END_BYTES = 24;
  static final int INDEX_ENTRY_BYTES = 12;

  /** No deflated byte becomes more plain ones than this. */
  static final long HIGHEST_RATIO = 1032;

  private BlockFormat() {}
}
