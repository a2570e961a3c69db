package dev.headrace.golden;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Indexed;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.StringJoiner;

/** What a consumer meets, as lines of text: elements with type, shape and values, errors, ends. */
public final class Outcomes {
  public static final String ERROR = "error";
  public static final String END = "end";

  private Outcomes() {}

  /** What one epoch of a freshly opened dataset gives. */
  public static List<String> of(Dataset<?> dataset) {
    return ofEpochs(dataset, 1).getFirst();
  }

  /** What several epochs of one pipeline give. */
  public static List<List<String>> ofEpochs(Dataset<?> dataset, int epochs) {
    List<List<String>> all = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < epochs; epoch++) {
        all.add(of(pipeline.iterator()));
      }
    }
    return all;
  }

  /** What is left of an epoch, up to its end or to an error that cannot be passed. */
  public static List<String> of(Iterator<?> epoch) {
    List<String> outcomes = new ArrayList<>();
    while (epoch.hasNext()) {
      try {
        outcomes.add(text(epoch.next()));
      } catch (PipelineException e) {
        outcomes.add(ERROR);
        if (e.isTerminal()) {
          return outcomes;
        }
      }
    }
    outcomes.add(END);
    return outcomes;
  }

  /**
   * The number, unless it is the one that is refused. (An error that the machine itself raises,
   * such as a division by zero, loses its message once its code is compiled.)
   */
  public static long refusing(long refused, long number) {
    if (number == refused) {
      throw new IllegalArgumentException("refuses " + number);
    }
    return number;
  }

  /** The errors of one epoch, in order. */
  public static List<PipelineException> errors(Dataset<?> dataset) {
    List<PipelineException> errors = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> epoch = pipeline.iterator();
      while (epoch.hasNext()) {
        try {
          epoch.next();
        } catch (PipelineException e) {
          errors.add(e);
          if (e.isTerminal()) {
            return errors;
          }
        }
      }
    }
    return errors;
  }

  /** An element as text: its tensors, each as {@code int64[2] [1, 2]}. */
  public static String text(Object element) {
    return switch (element) {
      case Long number -> "int64[] [" + number + "]";
      case Indexed<?> indexed -> text(indexed.index()) + "; " + text(indexed.value());
      default -> structureText(element);
    };
  }

  private static String structureText(Object element) {
    StringJoiner text = new StringJoiner("; ");
    Structure.find(element)
        .ifPresentOrElse(
            structure -> {
              for (Tensor leaf : structure.leaves(element)) {
                text.add(tensorText(leaf));
              }
            },
            () -> text.add(element.toString()));
    return text.toString();
  }

  private static String tensorText(Tensor tensor) {
    StringJoiner values =
        new StringJoiner(", ", tensor.dtype().tfName() + tensor.shape() + " [", "]");
    for (int i = 0; i < tensor.elements(); i++) {
      values.add(valueText(tensor, i));
    }
    return values.toString();
  }

  private static String valueText(Tensor tensor, int index) {
    if (tensor.dtype() == DType.STRING) {
      return tensor.stringAt(index);
    }
    if (tensor.dtype() == DType.FLOAT32) {
      return Float.toString(tensor.floatAt(index));
    }
    return tensor.dtype() == DType.FLOAT64
        ? Double.toString(tensor.doubleAt(index))
        : Long.toString(tensor.longAt(index));
  }
}
