package dev.headrace;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * What a model has learnt, as bytes: weights, the optimiser's moments, everything that the next
 * step depends on.
 *
 * <p>{@link Training} writes it between two steps, into the same file as the position in the data,
 * so that neither can be newer than the other.
 */
public interface ModelState {
  /** Writes the state; the stream is buffered, and closed by the caller. */
  void save(OutputStream out) throws IOException;

  /** Takes on a state that {@link #save} wrote; the stream ends where it ended. */
  void load(InputStream in) throws IOException;
}
