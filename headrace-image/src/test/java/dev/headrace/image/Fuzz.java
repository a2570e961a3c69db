package dev.headrace.image;

import java.util.Arrays;
import java.util.Random;

/** Changes to files that accidents and attackers make. */
final class Fuzz {
  private Fuzz() {}

  /** A damaged copy. */
  static byte[] damage(byte[] file, Random random) {
    byte[] damaged = file.clone();
    int kinds = 1 + random.nextInt(3);
    for (int i = 0; i < kinds && damaged.length > 4; i++) {
      damaged = once(damaged, random);
    }
    return damaged;
  }

  private static byte[] once(byte[] file, Random random) {
    int at = random.nextInt(file.length);
    int early = random.nextInt(Math.min(file.length, 700));
    switch (random.nextInt(9)) {
      case 0 -> file[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> file[at] = (byte) random.nextInt();
      case 2 -> file[early] = (byte) random.nextInt();
      case 3 -> file[early] = (byte) (random.nextBoolean() ? 0xFF : 0);
      case 4 -> {
        return Arrays.copyOf(file, at);
      }
      case 5 -> {
        int length = Math.min(file.length - at, 1 + random.nextInt(40));
        byte[] cut = new byte[file.length - length];
        System.arraycopy(file, 0, cut, 0, at);
        System.arraycopy(file, at + length, cut, at, file.length - at - length);
        return cut;
      }
      case 6 -> {
        int from = random.nextInt(file.length);
        int length = Math.min(file.length - Math.max(at, from), 1 + random.nextInt(200));
        System.arraycopy(file, from, file, at, length);
      }
      case 7 -> {
        if (at + 2 < file.length) {
          file[at] = (byte) 0xFF;
          file[at + 1] = (byte) (0xC0 + random.nextInt(0x40));
        }
      }
      default -> {
        byte[] noise = new byte[Math.min(file.length - at, 1 + random.nextInt(60))];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, file, at, noise.length);
      }
    }
    return file;
  }
}
