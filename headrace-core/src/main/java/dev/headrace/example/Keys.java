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
  private static final int SHIFT = 21; // leaves the bits of a slot
  private static final int MOST_LEARNED = SLOTS / 2;
  private static final int LONGEST_LEARNED = 120;

  /** How many bytes behind where an entry begins are looked at, whether it has so many or not. */
  static final int LOOK_AHEAD = (4 + LONGEST_LEARNED + 1 + 7) / 8 * 8;

  /** A key that was met, with how the entries of a map that have it begin. */
  static final class Key {
    /* An entry is usually: 0A, its length, 0A, the key's length, the key, 12, and then the value.
     * But for the entry's length all of that is known beforehand, and compared eight bytes at a
     * time. */
    private final int length;
    private final long[] words;
    private final long firstMask;
    private final long lastMask;

    /** Where its values go; none if it was not asked for. */
    final Column[] columns;

    /** Whether it only stands for the key of its columns, and gives way where that one is there. */
    final boolean isLoose;

    /** Its only column, if it has exactly one. */
    final @Nullable Column only;

    /** How many bytes of an entry come before the value's length. */
    final int opening;

    /** The key that followed when it was last met. */
    Key next = this;

    private Key(byte[] window, int at, int length, Wanted wanted) {
      this.length = length;
      this.columns = wanted.columns;
      this.isLoose = wanted.isLoose;
      this.only = wanted.columns.length == 1 ? wanted.columns[0] : null;
      this.opening = 4 + length + 1;
      byte[] bytes = new byte[opening + 8];
      bytes[0] = Values.LIST;
      bytes[2] = Values.LIST;
      bytes[3] = (byte) length;
      System.arraycopy(window, at, bytes, 4, length);
      bytes[4 + length] = 2 << 3 | Wire.DELIMITED;
      this.words = new long[(opening + 7) / 8];
      for (int i = 0; i < words.length; i++) {
        words[i] = Values.word(bytes, 8 * i);
      }
      this.lastMask = opening % 8 == 0 ? -1 : (1L << 8 * (opening % 8)) - 1;
      long butLength = ~0xFF00L;
      this.firstMask = words.length == 1 ? butLength & lastMask : butLength;
    }

    /** What stands before the first key, and is none. */
    private Key() {
      this(new byte[0], 0, 0, new Wanted(new Column[0], false));
      words[0] = -1;
    }

    /** Whether an entry with this key begins at {@code at} of a window, as far as it is there. */
    boolean opens(byte[] window, int at) {
      long[] expected = words;
      if ((Values.word(window, at) & firstMask) != expected[0]) {
        return false;
      }
      int last = expected.length - 1;
      for (int i = 1; i < last; i++) {
        if (Values.word(window, at + 8 * i) != expected[i]) {
          return false;
        }
      }
      return last == 0 || (Values.word(window, at + 8 * last) & lastMask) == expected[last];
    }

    private boolean is(byte[] window, int at, int otherLength) {
      return length == otherLength && matches(window, at);
    }

    private boolean matches(byte[] window, int at) {
      for (int i = 0; i < length; i++) {
        if (window[at + i] != (byte) (words[i + 4 >> 3] >>> 8 * (i + 4 & 7))) {
          return false;
        }
      }
      return true;
    }
  }

  private final Function<String, List<Column>> columns;
  private final Key[] table = new Key[SLOTS];
  private int learned;

  /** What stands before the first key of an example. */
  final Key start = new Key();

  /**
   * @param columns the columns that a key's values go to
   */
  Keys(Function<String, List<Column>> columns) {
    this.columns = columns;
  }

  /** The key of {@code length} bytes at {@code at} of a window. */
  Key find(byte[] window, int at, int length) {
    if (length == 0 || length > LONGEST_LEARNED) {
      return unlearned(wanted(window, at, length));
    }
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = hash * 31 + window[at + i];
    }
    int slot = (hash ^ hash >>> 15) * 0x9E3779B9 >>> SHIFT;
    for (; table[slot] != null; slot = slot + 1 & SLOTS - 1) {
      if (table[slot].is(window, at, length)) {
        return table[slot];
      }
    }
    Key key = new Key(window, at, length, wanted(window, at, length));
    if (learned < MOST_LEARNED) {
      learned++;
      table[slot] = key;
    }
    return key;
  }

  private static Key unlearned(Wanted wanted) {
    Key key = new Key(new byte[0], 0, 0, wanted);
    key.words[0] = -1;
    return key;
  }

  private Wanted wanted(byte[] window, int at, int length) {
    String text = new String(Arrays.copyOfRange(window, at, at + length), UTF_8);
    Column[] found = columns.apply(text).toArray(Column[]::new);
    return new Wanted(found, found.length > 0 && !found[0].key.equals(text));
  }

  private record Wanted(Column[] columns, boolean isLoose) {}
}
