package dev.headrace.spi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What can be read off the record class of an operator: its inputs, its words, its copies. */
public final class OpShape {
  private static final ClassValue<OpShape> SHAPES =
      new ClassValue<>() {
        @Override
        protected OpShape computeValue(Class<?> type) {
          return new OpShape(type);
        }
      };

  private static final MethodType READS = MethodType.methodType(Object.class, Op.class);
  private static final MethodType MAKES = MethodType.methodType(Object.class, Object[].class);

  private final List<Part> parts = new ArrayList<>();
  private final List<Part> holdingInputs;

  /** Takes an array of all components. */
  private final MethodHandle constructor;

  /** A component; its accessor takes an {@code Op} and returns an {@code Object}. */
  private record Part(String name, Class<?> type, boolean isKnob, MethodHandle accessor) {
    /** Whether a value of this type could be an operator or a list of them. */
    boolean couldHoldInputs() {
      return Op.class.isAssignableFrom(type) || !Modifier.isFinal(type.getModifiers());
    }

    @Nullable Object read(Op op) {
      try {
        return (Object) accessor.invokeExact(op);
      } catch (Throwable e) {
        throw new IllegalStateException(op.getClass() + ": cannot read " + name, e);
      }
    }
  }

  private OpShape(Class<?> type) {
    if (!type.isRecord()) {
      throw new IllegalArgumentException(
          type.getName() + ": expected an operator to be a record, but got another kind of class");
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      for (RecordComponent component : type.getRecordComponents()) {
        component.getAccessor().setAccessible(true);
        parts.add(
            new Part(
                component.getName(),
                component.getType(),
                component.isAnnotationPresent(Knob.class),
                lookup.unreflect(component.getAccessor()).asType(READS)));
      }
      holdingInputs = parts.stream().filter(Part::couldHoldInputs).toList();
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      Constructor<?> canonical = type.getDeclaredConstructor(types);
      canonical.setAccessible(true);
      constructor =
          lookup
              .unreflectConstructor(canonical)
              .asSpreader(Object[].class, types.length)
              .asType(MAKES);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalArgumentException(
          type.getName() + ": cannot be read as a record; open its package to dev.headrace.core",
          e);
    }
  }

  public static OpShape of(Class<?> type) {
    return SHAPES.get(type);
  }

  /** The components that are operators, in order. */
  public List<Op> inputs(Op op) {
    List<Op> inputs = new ArrayList<>();
    for (Part part : holdingInputs) {
      Object value = part.read(op);
      if (value instanceof Op input) {
        inputs.add(input);
      } else if (value instanceof List<?> list) {
        for (Object item : list) {
          if (item instanceof Op input) {
            inputs.add(input);
          }
        }
      }
    }
    return List.copyOf(inputs);
  }

  /** The first component that is of a type: the files a source reads, the order a map keeps. */
  public <T> Optional<T> part(Op op, Class<T> type) {
    return parts(op, type).stream().findFirst();
  }

  /** All components that are of a type: its functions. */
  public <T> List<T> parts(Op op, Class<T> type) {
    List<T> found = new ArrayList<>();
    for (Part part : parts) {
      Object value = part.read(op);
      if (type.isInstance(value)) {
        found.add(type.cast(value));
      }
    }
    return found;
  }

  /** A copy of the operator that says it was made elsewhere. */
  public Op withSite(Op op, Site site) {
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Part part : parts) {
      arguments.add(part.type == Site.class ? site : part.read(op));
    }
    return copy(op, arguments);
  }

  /** A copy of the operator over other inputs. */
  public Op withInputs(Op op, List<Op> inputs) {
    List<Op> left = new ArrayList<>(inputs);
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Part part : parts) {
      Object value = part.read(op);
      if (value instanceof Op) {
        arguments.add(left.removeFirst());
      } else if (value instanceof List<?> list
          && !list.isEmpty()
          && list.getFirst() instanceof Op) {
        List<Op> replaced = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
          replaced.add(left.removeFirst());
        }
        arguments.add(List.copyOf(replaced));
      } else {
        arguments.add(value);
      }
    }
    return copy(op, arguments);
  }

  /** Whether there is a number of this name that the engine may turn. */
  public boolean hasKnob(String name) {
    return parts.stream().anyMatch(part -> part.isKnob && part.name.equals(name));
  }

  /** A number among the components, by its name; 0 where there is none. */
  public int number(Op op, String name) {
    for (Part part : parts) {
      if (part.name.equals(name) && part.read(op) instanceof Integer number) {
        return number;
      }
    }
    return 0;
  }

  /** A copy of the operator with another value of a knob, if it has one of that name. */
  public Op withKnob(Op op, String name, IntUnaryOperator change) {
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Part part : parts) {
      Object value = part.read(op);
      boolean isIt = part.isKnob && part.name.equals(name) && value instanceof Integer;
      arguments.add(isIt ? change.applyAsInt((Integer) Objects.requireNonNull(value)) : value);
    }
    return copy(op, arguments);
  }

  private Op copy(Op op, List<@Nullable Object> arguments) {
    try {
      return (Op) (Object) constructor.invokeExact(arguments.toArray());
    } catch (Throwable e) {
      throw new IllegalStateException(op.word() + ": cannot be copied", e);
    }
  }

  /**
   * The operator as {@code explain()} shows it: {@code map(lambda$main$0, parallelism=AUTOTUNE)}.
   */
  public String describe(Op op) {
    return text(op, true, true);
  }

  /** What shapes elements and order, functions apart. */
  public String structure(Op op, boolean deterministic) {
    return text(op, false, deterministic);
  }

  /** The functions among the components, and what else is known by its identity alone. */
  public List<Object> functions(Op op) {
    List<Object> functions = new ArrayList<>();
    for (Part part : parts) {
      Object value = part.read(op);
      for (Object item : value instanceof List<?> list ? list : singleton(value)) {
        if (isFunction(item)) {
          functions.add(Objects.requireNonNull(item));
        }
      }
    }
    return functions;
  }

  private static List<@Nullable Object> singleton(@Nullable Object value) {
    List<@Nullable Object> one = new ArrayList<>();
    one.add(value);
    return one;
  }

  /**
   * The components that shape elements or order, by name: neither knobs nor sites nor inputs. Each
   * item of a list of functions is one of its own.
   */
  List<Map.Entry<String, @Nullable Object>> shaping(Op op) {
    List<Map.Entry<String, @Nullable Object>> shaping = new ArrayList<>();
    for (Part part : parts) {
      Object value = part.read(op);
      boolean isInput =
          value instanceof Op
              || (value instanceof List<?> list
                  && !list.isEmpty()
                  && list.getFirst() instanceof Op);
      if (part.isKnob || part.type == Site.class || isInput) {
        continue;
      }
      if (value instanceof List<?> list && !list.isEmpty() && isFunction(list.getFirst())) {
        for (int i = 0; i < list.size(); i++) {
          shaping.add(new SimpleImmutableEntry<>(part.name + "[" + i + "]", list.get(i)));
        }
      } else {
        shaping.add(new SimpleImmutableEntry<>(part.name, value));
      }
    }
    return shaping;
  }

  private String text(Op op, boolean forPeople, boolean deterministic) {
    StringJoiner arguments = new StringJoiner(", ", "(", ")");
    for (Part part : parts) {
      Object value = part.read(op);
      boolean hidden =
          value == null
              || value instanceof Op
              || value instanceof Site
              || (value instanceof List<?> list
                  && (list.isEmpty() || list.getFirst() instanceof Op))
              || (value instanceof Boolean flag && !flag && forPeople)
              || (value instanceof Order && forPeople && value != Order.UNORDERED);
      if (hidden || (part.isKnob && !forPeople)) {
        continue;
      }
      if (value instanceof List<?> list && !list.isEmpty() && isFunction(list.getFirst())) {
        for (Object function : list) {
          arguments.add(FunctionIdentity.labelOf(Objects.requireNonNull(function)));
        }
      } else if (isFunction(value)) {
        arguments.add(
            forPeople ? FunctionIdentity.labelOf(Objects.requireNonNull(value)) : part.name);
      } else if (part.isKnob && Integer.valueOf(Knob.AUTOTUNE).equals(value)) {
        arguments.add(part.name + "=AUTOTUNE");
      } else if (part.isKnob && Integer.valueOf(Parallelism.IF_IT_HELPS).equals(value)) {
        arguments.add(part.name + "=if it helps");
      } else if (value == Order.DEFAULT) {
        arguments.add(part.name + "=" + Order.of(deterministic));
      } else {
        arguments.add(part.name + "=" + value);
      }
    }
    return op.word() + arguments;
  }

  static boolean isFunction(@Nullable Object value) {
    return value instanceof UserFunction || value instanceof FunctionIdentity.Named;
  }
}
