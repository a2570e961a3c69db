package dev.headrace.torch;

import dev.headrace.data.Structure;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.bytedeco.pytorch.Tensor;

/**
 * The tensors of one batch for PyTorch, by the names they have in the batch: the components of a
 * record, the keys of a map; the empty name where the batch is a bare tensor.
 *
 * <p><b>Ownership:</b> the tensors are this batch's and are closed with it. What PyTorch computed
 * from them stays valid, and with it their memory, for as long as PyTorch refers to it.
 */
public final class TorchBatch implements AutoCloseable {
  private final SequencedMap<String, Tensor> tensors;

  private TorchBatch(SequencedMap<String, Tensor> tensors) {
    this.tensors = tensors;
  }

  /**
   * The tensors of an element, each as {@link TorchTensors#toTorch} gives it.
   *
   * @param element a tensor, or a record, map or list of tensors
   */
  public static <T> TorchBatch of(T element) {
    Structure<T> structure = Structure.of(element);
    dev.headrace.data.Tensor[] leaves = structure.leaves(element);
    TorchBatch batch = new TorchBatch(new LinkedHashMap<>());
    try {
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        batch.tensors.put(structure.leafName(leaf), TorchTensors.toTorch(leaves[leaf]));
      }
      return batch;
    } catch (RuntimeException | Error e) {
      batch.close();
      throw e;
    }
  }

  /** The tensor of that name. */
  public Tensor tensor(String name) {
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException(
          "batch: expected one of %s, but got \"%s\"".formatted(names(), name));
    }
    return tensor;
  }

  /** The tensor at that place, from 0, in the order of the batch's components. */
  public Tensor tensor(int index) {
    return List.copyOf(tensors.values()).get(index);
  }

  /** The names of the tensors, in order. */
  public List<String> names() {
    return List.copyOf(tensors.keySet());
  }

  /** The tensors by name, in order. */
  public Map<String, Tensor> tensors() {
    return Collections.unmodifiableMap(tensors);
  }

  @Override
  public void close() {
    tensors.values().forEach(Tensor::close);
  }
}
