package dev.headrace.data.image;

/**
 * What steps need to know of a whole image: sums of its values and of their squares.
 *
 * @param count the pixels
 * @param sums of each channel
 * @param squares the sum of the squares of all channels
 */
record Statistics(long count, double[] sums, double squares) {
  /** For steps that need none. */
  static final Statistics NONE = new Statistics(0, new double[0], 0);

  /** Reads the whole image once. */
  static Statistics of(Rows rows, ImageSize size) {
    float[] row = new float[size.rowLength() + Rows.SLACK];
    int channels = size.channels();
    double[] sums = new double[channels];
    double squares = 0;
    for (int y = 0; y < size.height(); y++) {
      rows.row(y, row);
      for (int channel = 0; channel < channels; channel++) {
        double sum = 0;
        for (int i = channel; i < size.rowLength(); i += channels) {
          sum += row[i];
          squares += (double) row[i] * row[i];
        }
        sums[channel] += sum;
      }
    }
    return new Statistics((long) size.height() * size.width(), sums, squares);
  }

  double channelMean(int channel) {
    return sums[channel] / count;
  }

  double mean() {
    double sum = 0;
    for (double channel : sums) {
      sum += channel;
    }
    return sum / (count * sums.length);
  }

  double deviation() {
    double mean = mean();
    return Math.sqrt(Math.max(0, squares / (count * sums.length) - mean * mean));
  }
}
