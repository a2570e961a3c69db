package dev.headrace.data;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a record class: its components and the handles that read and build it.
 *
 * <p><b>Threading:</b> safe for any number of threads; one instance per class.
 */
final class RecordClass {
  private static final String MODULE = "dev.headrace.core";
  private static final ClassValue<RecordClass> ALL =
      new ClassValue<>() {
        @Override
        protected RecordClass computeValue(Class<?> type) {
          return new RecordClass(type);
        }
      };

  /** The handles, found when the first element is taken apart, or at registration. */
  private record Handles(
      MethodHandle tensors,
      MethodHandle ofTensors,
      MethodHandle components,
      MethodHandle ofComponents) {}

  private final Class<?> type;
  private final RecordComponent[] components;
  private final boolean mayBeStructure;
  private final Structure.@Nullable OfRecord<Record> ofTensors;
  private volatile @Nullable Handles handles;

  /** What reads it, once found. */
  private volatile MethodHandles.@Nullable Lookup lookup;

  private RecordClass(Class<?> type) {
    this.type = type;
    this.components = type.getRecordComponents();
    this.mayBeStructure =
        components.length > 0
            && Arrays.stream(components).allMatch(c -> mayBeStructure(c.getType()));
    boolean onlyTensors =
        components.length > 0
            && Arrays.stream(components).allMatch(c -> c.getType() == Tensor.class);
    List<Structure<?>> leaves = Collections.nCopies(components.length, Structure.Leaf.INSTANCE);
    this.ofTensors = onlyTensors ? new Structure.OfRecord<>(this, leaves) : null;
  }

  static RecordClass of(Class<?> type) {
    return ALL.get(type);
  }

  static void register(MethodHandles.Lookup lookup, Class<? extends Record> type) {
    RecordClass known = of(type);
    try {
      known.handles = known.find(lookup);
      References.reconsider(type);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          "Structure.register: expected a lookup that can read "
              + type.getTypeName()
              + ", but got "
              + lookup
              + "; call MethodHandles.lookup() in the record's own module",
          e);
    }
  }

  // A component must be able to hold what build makes: a class such as TreeMap cannot.
  private static boolean mayBeStructure(Class<?> type) {
    boolean isOtherInterface =
        type.isInterface()
            && !Map.class.isAssignableFrom(type)
            && !Collection.class.isAssignableFrom(type);
    return type == Tensor.class
        || Record.class.isAssignableFrom(type)
        || type.isAssignableFrom(SequencedMap.class)
        || type.isAssignableFrom(List.class)
        || isOtherInterface;
  }

  /** Whether the declared types leave it possible; the values decide. */
  boolean mayBeStructure() {
    return mayBeStructure;
  }

  /** Whether every component is declared as a tensor. */
  boolean isOfTensors() {
    return ofTensors != null;
  }

  /** The structure that all elements share, if every component is declared as a tensor. */
  Structure.@Nullable OfRecord<Record> ofTensors() {
    return ofTensors;
  }

  /** The number of components. */
  int size() {
    return components.length;
  }

  String name(int component) {
    return components[component].getName();
  }

  String simpleName() {
    return type.getSimpleName();
  }

  boolean isInstance(@Nullable Object value) {
    return value != null && value.getClass() == type;
  }

  /** The components of a record whose components are all tensors. */
  Tensor[] tensors(Object value) {
    Tensor[] tensors;
    try {
      tensors = (Tensor[]) handles().tensors.invokeExact(value);
    } catch (Throwable e) {
      throw rethrow(e);
    }
    for (int i = 0; i < tensors.length; i++) {
      if (tensors[i] == null) {
        throw new IllegalArgumentException(
            simpleName() + "." + name(i) + ": expected a Tensor, but got null");
      }
    }
    return tensors;
  }

  Object ofTensors(Tensor[] tensors) {
    try {
      return (Object) handles().ofTensors.invokeExact(tensors);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  @Nullable Object[] components(Object value) {
    try {
      return (Object[]) handles().components.invokeExact(value);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  Object build(Object[] components) {
    try {
      return (Object) handles().ofComponents.invokeExact(components);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** A lookup that may call the accessors; null where there is none. */
  MethodHandles.@Nullable Lookup lookup() {
    return isReadable() ? lookup : null;
  }

  /** Whether the components can be read: the package is open, or a lookup was registered. */
  boolean isReadable() {
    return findHandles() != null;
  }

  /** Throws, with the line to add to a module declaration, if the components cannot be read. */
  void checkReadable() {
    if (!isReadable()) {
      throw new IllegalStateException(
          closedMessage(type.getTypeName(), type.getPackageName(), type.getModule().getName()));
    }
  }

  private Handles handles() {
    Handles found = findHandles();
    if (found == null) {
      checkReadable();
      throw new AssertionError("unreadable, but not reported: " + type);
    }
    return found;
  }

  // Racing threads find equal handles; either may stay.
  private @Nullable Handles findHandles() {
    if (handles == null) {
      try {
        handles = find(MethodHandles.publicLookup());
      } catch (IllegalAccessException notPublic) {
        handles = findPrivately();
      }
    }
    return handles;
  }

  private @Nullable Handles findPrivately() {
    try {
      RecordClass.class.getModule().addReads(type.getModule());
      return find(MethodHandles.privateLookupIn(type, MethodHandles.lookup()));
    } catch (IllegalAccessException closedPackage) {
      return null;
    }
  }

  static String closedMessage(String type, String packageName, String module) {
    return "structure: expected to read the components of record "
        + type
        + ", but module "
        + module
        + " keeps its package closed; add the line\n    opens "
        + packageName
        + " to "
        + MODULE
        + ";\nto its module-info.java, or call Structure.register(MethodHandles.lookup(), "
        + type.substring(type.lastIndexOf('.') + 1).replace('$', '.')
        + ".class) from inside it";
  }

  private Handles find(MethodHandles.Lookup from) throws IllegalAccessException {
    MethodHandle[] accessors = new MethodHandle[components.length];
    Class<?>[] types = new Class<?>[components.length];
    MethodHandle constructor;
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        accessors[i] =
            from.findVirtual(type, components[i].getName(), MethodType.methodType(types[i]));
      }
      constructor = from.findConstructor(type, MethodType.methodType(void.class, types));
    } catch (NoSuchMethodException e) {
      throw new AssertionError("a record without its canonical members: " + type, e);
    }
    lookup = from;
    Class<?> tensorArray = isOfTensors() ? Tensor[].class : Object[].class;
    return new Handles(
        reader(accessors, tensorArray),
        builder(constructor, tensorArray),
        reader(accessors, Object[].class),
        builder(constructor, Object[].class));
  }

  /** One handle {@code (Object) array} that calls all accessors on its argument. */
  static MethodHandle reader(MethodHandle[] accessors, Class<?> array) {
    int count = accessors.length;
    MethodHandle[] filters = new MethodHandle[count];
    for (int i = 0; i < count; i++) {
      filters[i] =
          accessors[i].asType(MethodType.methodType(array.getComponentType(), Object.class));
    }
    MethodHandle collect =
        MethodHandles.identity(array)
            .asCollector(array, count)
            .asType(
                MethodType.methodType(array, Collections.nCopies(count, array.getComponentType())));
    MethodHandle perComponent = MethodHandles.filterArguments(collect, 0, filters);
    return MethodHandles.permuteArguments(
        perComponent, MethodType.methodType(array, Object.class), new int[count]);
  }

  /** One handle {@code (array) Object} that calls the constructor. */
  private static MethodHandle builder(MethodHandle constructor, Class<?> array) {
    return constructor
        .asType(constructor.type().changeReturnType(Object.class))
        .asSpreader(array, constructor.type().parameterCount());
  }

  private static RuntimeException rethrow(Throwable thrown) {
    return switch (thrown) {
      case Error error -> throw error;
      case RuntimeException exception -> exception;
      default -> new IllegalStateException("structure: a record's member threw " + thrown, thrown);
    };
  }

  @Override
  public String toString() {
    return type.getTypeName();
  }
}
