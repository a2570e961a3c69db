package dev.headrace.data.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The loops with the vector API, which must be among the runtime's modules. */
final class VectorLerp implements LerpKernel {
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Integer> INTS = FLOATS.withLanes(int.class);

  /** A byte for each float lane; on machines of short vectors for each of two vectors of them. */
  private static final VectorSpecies<Byte> BYTES =
      VectorSpecies.of(
          byte.class, VectorShape.forBitSize(Math.max(64, FLOATS.length() * Byte.SIZE)));

  private static final int PARTS = BYTES.length() / FLOATS.length();

  /** One pixel of up to four channels. */
  private static final VectorSpecies<Float> PIXEL = FloatVector.SPECIES_128;

  private final ScalarLerp scalar = new ScalarLerp();

  @Override
  public void prepare(byte[] row, int length) {}

  @Override
  public void blend(byte[] top, byte[] bottom, float weight, float[] into, int length) {
    int i = 0;
    for (; i <= length - BYTES.length(); i += BYTES.length()) {
      ByteVector topBytes = ByteVector.fromArray(BYTES, top, i);
      ByteVector bottomBytes = ByteVector.fromArray(BYTES, bottom, i);
      for (int part = 0; part < PARTS; part++) {
        FloatVector a = widen(topBytes, part);
        FloatVector b = widen(bottomBytes, part);
        a.add(b.sub(a).mul(weight)).intoArray(into, i + part * FLOATS.length());
      }
    }
    for (; i < length; i++) {
      float a = top[i] & 0xFF;
      float b = bottom[i] & 0xFF;
      into[i] = a + (b - a) * weight;
    }
  }

  private static FloatVector widen(ByteVector bytes, int part) {
    return (FloatVector)
        bytes
            .convertShape(VectorOperators.ZERO_EXTEND_B2I, INTS, part)
            .convertShape(VectorOperators.I2F, FLOATS, 0);
  }

  /* A vector of four floats is a pixel and, of three channels, a float of the next one, which the
   * next step writes over. */
  @Override
  public void spread(float[] row, Lerp columns, int channels, float[] into) {
    if (channels != 3 && channels != 4) {
      scalar.spread(row, columns, channels, into);
      return;
    }
    int[] low = columns.low();
    int[] high = columns.high();
    float[] weights = columns.weight();
    int to = 0;
    for (int x = 0; x < low.length; x++) {
      FloatVector a = FloatVector.fromArray(PIXEL, row, low[x]);
      FloatVector b = FloatVector.fromArray(PIXEL, row, high[x]);
      a.add(b.sub(a).mul(weights[x])).intoArray(into, to);
      to += channels;
    }
  }
}
