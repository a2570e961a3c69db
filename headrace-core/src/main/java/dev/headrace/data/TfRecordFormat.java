package dev.headrace.data;

/**
 * How a TFRecord file frames its records: the length of the data as eight bytes, the masked CRC32C
 * of these eight bytes, the data, and the masked CRC32C of the data; all little-endian.
 */
public final class TfRecordFormat {
  /** Length and its checksum. */
  public static final int HEADER_BYTES = 12;

  /** The checksum of the data. */
  public static final int FOOTER_BYTES = 4;

  /** What a record takes besides its data. */
  public static final int FRAME_BYTES = HEADER_BYTES + FOOTER_BYTES;

  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int MASK_DELTA = 0xa282ead8;
  private static final int MASK_SHIFT = 15;

  /** By place from the end of eight bytes, what a byte there does to the checksum. */
  private static final int[][] TABLES = tables();

  private TfRecordFormat() {}

  /** A checksum as it is written: checksums of data that holds checksums are weak otherwise. */
  public static int masked(int crc) {
    return Integer.rotateRight(crc, MASK_SHIFT) + MASK_DELTA;
  }

  /**
   * The masked CRC32C of the eight bytes of a length. Eight lookups cost less than calling the JDK
   * for so little.
   */
  public static int lengthCrc(long length) {
    int low = ~(int) length;
    int high = (int) (length >>> 32);
    int crc =
        TABLES[7][low & 0xFF]
            ^ TABLES[6][low >>> 8 & 0xFF]
            ^ TABLES[5][low >>> 16 & 0xFF]
            ^ TABLES[4][low >>> 24]
            ^ TABLES[3][high & 0xFF]
            ^ TABLES[2][high >>> 8 & 0xFF]
            ^ TABLES[1][high >>> 16 & 0xFF]
            ^ TABLES[0][high >>> 24];
    return masked(~crc);
  }

  private static int[][] tables() {
    int[][] tables = new int[8][256];
    for (int value = 0; value < 256; value++) {
      int crc = value;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
      }
      tables[0][value] = crc;
    }
    for (int place = 1; place < 8; place++) {
      for (int value = 0; value < 256; value++) {
        int before = tables[place - 1][value];
        tables[place][value] = before >>> 8 ^ tables[0][before & 0xFF];
      }
    }
    return tables;
  }
}
