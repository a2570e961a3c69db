package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the columns of a key, and guesses the next key: the one that followed the last time.
 *
 * <p>Keys of examples are learned as they come, wanted or not, but not more than a table of fixed
 * size holds, so that no file can fill the memory.
 *
 * <p><b>Threading:</b> of one thread.
 */
final class Keys {
  private static final int SLOTS = 2048;
  private static final int MOST_LEARNED = SLOTS / 2;
  private static final int LONGEST_LEARNED = 120;

  /** A key that was met. */
  static final class Key {
    private final int length;
    private final long[] words;
    private final long lastMask;

    /** Where its values go; none if nobody asked for it. */
    final Column[] columns;

    /** Its only column, if it has exactly one. */
    final @Nullable Column only;

    /** The key that followed when it was last met. */
    Key next = this;

    private Key(int length, long[] words, Column[] columns) {
      this.length = length;
      this.words = words;
      this.lastMask = maskOf(length);
      this.columns = columns;
      this.only = columns.length == 1 ? columns[0] : null;
    }

    /** Whether the key is at {@code at} of a window; its {@code length} is known there. */
    boolean is(byte[] window, int at, int otherLength) {
      if (length != otherLength) {
        return false;
      }
      int last = words.length - 1;
      for (int i = 0; i < last; i++) {
        if (Values.word(window, at + 8 * i) != words[i]) {
          return false;
        }
      }
      return (Values.word(window, at + 8 * last) & lastMask) == words[last];
    }
  }

  private final Function<String, List<Column>> columns;
  private final Key[] table = new Key[SLOTS];
  private int learned;

  /** What stands before the first key of an example. */
  final Key start = new Key(-1, new long[1], new Column[0]);

  /**
   * @param columns the columns that a key's values go to
   */
  Keys(Function<String, List<Column>> columns) {
    this.columns = columns;
  }

  private static long maskOf(int length) {
    return length <= 0 || length % 8 == 0 && length > 0 ? -1 : (1L << 8 * (length % 8)) - 1;
  }

  /** The key of {@code length} bytes at {@code at} of a window with {@link Values#SLACK}. */
  Key find(byte[] window, int at, int length) {
    if (length == 0 || length > LONGEST_LEARNED) {
      return new Key(-1, new long[1], wanted(window, at, length));
    }
    long hash = length;
    int last = (length - 1) >> 3;
    for (int i = 0; i < last; i++) {
      hash = (hash ^ Values.word(window, at + 8 * i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
    hash = (hash ^ Values.word(window, at + 8 * last) & maskOf(length)) * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 40) & SLOTS - 1;
    for (; table[slot] != null; slot = slot + 1 & SLOTS - 1) {
      if (table[slot].is(window, at, length)) {
        return table[slot];
      }
    }
    long[] words = new long[last + 1];
    for (int i = 0; i <= last; i++) {
      words[i] = Values.word(window, at + 8 * i);
    }
    words[last] &= maskOf(length);
    Key key = new Key(length, words, wanted(window, at, length));
    if (learned < MOST_LEARNED) {
      learned++;
      table[slot] = key;
    }
    return key;
  }

  private Column[] wanted(byte[] window, int at, int length) {
    String text = new String(Arrays.copyOfRange(window, at, at + length), UTF_8);
    return columns.apply(text).toArray(Column[]::new);
  }
}
