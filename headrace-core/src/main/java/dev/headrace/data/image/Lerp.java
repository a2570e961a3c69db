package dev.headrace.data.image;

/**
 * For each output of a linear axis, the two inputs and how far it lies between them.
 *
 * @param low the first input, times a stride
 * @param high the second, times the stride
 * @param weight 0 at the first to 1 at the second
 */
record Lerp(int[] low, int[] high, float[] weight) {

  static Lerp of(Axis axis, int stride) {
    int[] low = new int[axis.outputs()];
    int[] high = new int[axis.outputs()];
    float[] weight = new float[axis.outputs()];
    for (int i = 0; i < low.length; i++) {
      float place = axis.place(i);
      float floor = (float) Math.floor(place);
      low[i] = stride * Math.clamp((long) floor, 0, axis.inputs() - 1);
      high[i] = stride * Math.clamp((long) Math.ceil(place), 0, axis.inputs() - 1);
      weight[i] = place - floor;
    }
    return new Lerp(low, high, weight);
  }

  /** The same outputs from the last to the first. */
  Lerp reversed() {
    int last = low.length - 1;
    Lerp reversed = new Lerp(new int[last + 1], new int[last + 1], new float[last + 1]);
    for (int i = 0; i <= last; i++) {
      reversed.low[i] = low[last - i];
      reversed.high[i] = high[last - i];
      reversed.weight[i] = weight[last - i];
    }
    return reversed;
  }
}
