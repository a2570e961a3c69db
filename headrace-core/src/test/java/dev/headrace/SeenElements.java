package dev.headrace;

import dev.headrace.data.Tensor;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** A model that learns by heart what it was trained on, in order. */
public final class SeenElements implements TrainingStep<Tensor>, ModelState {
  private final List<Long> seen = new ArrayList<>();

  @Override
  public void step(Tensor batch) {
    for (long element : batch.toLongArray()) {
      seen.add(element);
    }
  }

  @Override
  public OptionalDouble loss() {
    return OptionalDouble.of(1.0 / seen.size());
  }

  @Override
  public void save(OutputStream out) throws IOException {
    try (DataOutputStream data = new DataOutputStream(out)) { // closing must do no harm
      data.writeInt(seen.size());
      for (long element : seen) {
        data.writeLong(element);
      }
    }
  }

  @Override
  public void load(InputStream in) throws IOException {
    seen.clear();
    DataInputStream data = new DataInputStream(in);
    for (int left = data.readInt(); left > 0; left--) {
      seen.add(data.readLong());
    }
    if (data.read() >= 0) {
      throw new IOException("expected the end of the model's bytes");
    }
  }

  public List<Long> seen() {
    return List.copyOf(seen);
  }
}
