package dev.headrace.data.image;

/** The loops in plain Java, the first of which the compiler makes vector instructions of. */
final class ScalarLerp implements LerpKernel {

  @Override
  public void prepare(byte[] row, int length) {
    PixelMemory.flipSigns(row, length);
  }

  @Override
  public void blend(byte[] top, byte[] bottom, float weight, float[] into, int length) {
    for (int i = 0; i < length; i++) {
      float a = top[i] + 128f;
      float b = bottom[i] + 128f;
      into[i] = a + (b - a) * weight;
    }
  }

  @Override
  public void spread(float[] row, Lerp columns, int channels, float[] into) {
    int[] low = columns.low();
    int[] high = columns.high();
    float[] weights = columns.weight();
    if (channels == 3) {
      spread3(row, low, high, weights, into);
      return;
    }
    int to = 0;
    for (int x = 0; x < low.length; x++) {
      for (int channel = 0; channel < channels; channel++) {
        float a = row[low[x] + channel];
        into[to++] = a + (row[high[x] + channel] - a) * weights[x];
      }
    }
  }

  private static void spread3(float[] row, int[] low, int[] high, float[] weights, float[] into) {
    int to = 0;
    for (int x = 0; x < low.length; x++) {
      int left = low[x];
      int right = high[x];
      float weight = weights[x];
      float red = row[left];
      float green = row[left + 1];
      float blue = row[left + 2];
      into[to] = red + (row[right] - red) * weight;
      into[to + 1] = green + (row[right + 1] - green) * weight;
      into[to + 2] = blue + (row[right + 2] - blue) * weight;
      to += 3;
    }
  }
}
