package dev.headrace.spi;

import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import java.io.File;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.AbstractCollection;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractQueue;
import java.util.AbstractSequentialList;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Queue;
import java.util.SequencedCollection;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Hashes a value by its content, and notes the first thing in it that has none.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ContentDigest {
  /*
   * What is hashed is a text from which the value could be made again, so two values have the same
   * one only if they are alike: each value begins with a byte that says its kind, then its type
   * where the kind has several, and whatever has a length is preceded by it. Floating-point numbers
   * are their bits.
   *
   * Sets and maps without an order are hashed element by element, and the hashes sorted; where it is
   * not known whether the order says something, there is no content. An object
   * that is met again inside itself is a reference so many levels up. One that is met again beside
   * itself is hashed again: only the bound on nodes limits that.
   *
   * What changes while a pipeline runs (an AtomicLong, a list) is taken as it is now: the function
   * starts from there in every process that has the same identity.
   */
  private static final int MOST_DEPTH = 256;
  private static final String NO_CONTENT = " has no content that is the same in every process";

  /** Platform classes that others extend, and that hold nothing themselves. */
  private static final Set<Class<?>> EMPTY_ANCESTORS =
      Set.of(
          Object.class,
          Record.class,
          Number.class,
          AbstractCollection.class,
          AbstractList.class,
          AbstractSequentialList.class,
          AbstractSet.class,
          AbstractQueue.class,
          AbstractMap.class);

  /** Platform classes whose elements come in an order that says nothing. */
  private static final Set<Class<?>> UNORDERED =
      withViews(
          List.of(new HashMap<>(), new IdentityHashMap<>(), new ConcurrentHashMap<>()),
          Set.of(
              HashSet.class,
              Hashtable.class,
              SerialForm.writtenFor(Set.of(0)).getClass(),
              Set.of().getClass(),
              Set.of(0).getClass(),
              Map.of().getClass(),
              Map.of(0, 0).getClass()));

  /** Platform classes that keep an order and do not say so by an interface. */
  private static final Set<Class<?>> ORDERED =
      withViews(
          List.of(
              new EnumMap<>(DType.class),
              new TreeMap<>(),
              new ConcurrentSkipListMap<>(),
              Collections.emptyMap(),
              Collections.singletonMap(0, 0)),
          Set.of(
              CopyOnWriteArraySet.class,
              SerialForm.writtenFor(EnumSet.noneOf(DType.class)).getClass(),
              Collections.emptySet().getClass(),
              Collections.singleton(0).getClass()));

  /** Those of {@link Collections} that show another collection, and have nothing of their own. */
  private static final List<String> SHOWING_OTHERS =
      List.of("Unmodifiable", "Synchronized", "Checked", "SetFromMap", "SequencedSetFromMap");

  /** Platform collections that never change; of others it is not known. */
  private static final Set<Class<?>> FIXED =
      Set.of(
          List.of().getClass(),
          List.of(0).getClass(),
          Set.of().getClass(),
          Set.of(0).getClass(),
          Map.of().getClass(),
          Map.of(0, 0).getClass());

  /** Final classes whose text is all of them, by specification. */
  private static final Set<Class<?>> TIMES =
      Set.of(
          Duration.class,
          Instant.class,
          LocalDate.class,
          LocalDateTime.class,
          LocalTime.class,
          MonthDay.class,
          OffsetDateTime.class,
          OffsetTime.class,
          Period.class,
          Year.class,
          YearMonth.class,
          ZonedDateTime.class);

  /** The one objects of their kind. */
  private static final List<Comparator<?>> ORDERS =
      List.of(String.CASE_INSENSITIVE_ORDER, Comparator.naturalOrder(), Comparator.reverseOrder());

  private static Set<Class<?>> withViews(List<Map<?, ?>> maps, Set<Class<?>> others) {
    Set<Class<?>> classes = new HashSet<>(others);
    for (Map<?, ?> map : maps) {
      classes.add(map.getClass());
      classes.add(map.keySet().getClass());
      classes.add(map.values().getClass());
      classes.add(map.entrySet().getClass());
    }
    return classes;
  }

  /** How much is read before it is said to be too much. */
  static final class Bounds {
    private final long mostNodes;
    private final long mostBytes;
    private long nodes;
    private long bytes;

    private Bounds(long mostNodes, long mostBytes) {
      this.mostNodes = mostNodes;
      this.mostBytes = mostBytes;
    }

    /** Of what a function captured. */
    static Bounds ofCaptured() {
      return new Bounds(1_000_000, 256L << 20);
    }

    /** Of the data of a plan, which is all in memory anyway. */
    static Bounds ofElements() {
      return new Bounds(50_000_000, 16L << 30);
    }

    private boolean arePassed() {
      return nodes > mostNodes || bytes > mostBytes;
    }

    @Override
    public String toString() {
      return "more than %,d values or %,d MB".formatted(mostNodes, mostBytes >> 20);
    }
  }

  private static final ClassValue<Layout> LAYOUTS =
      new ClassValue<>() {
        @Override
        protected Layout computeValue(Class<?> type) {
          return Layout.of(type);
        }
      };

  private final MessageDigest sha = sha256();
  private final ByteBuffer buffer = ByteBuffer.allocate(4096);
  private final Bounds bounds;

  /** The objects that are being read, from the outermost on, and the way to each. */
  private final List<Object> open;

  private final List<Object> way;
  private final boolean isNamed;
  private @Nullable String missing;
  private boolean isFixed = true;

  private ContentDigest(Bounds bounds, List<Object> open, List<Object> way, boolean isNamed) {
    this.bounds = bounds;
    this.open = open;
    this.way = way;
    this.isNamed = isNamed;
  }

  /**
   * The identity of a value.
   *
   * @param name of the value in messages, or empty
   */
  static ContentIdentity of(String name, @Nullable Object value, Bounds bounds) {
    ContentDigest digest = named(name, bounds);
    digest.value(value);
    return digest.identity();
  }

  /**
   * The identity of a plan.
   *
   * @param deterministic what operators without a wish of their own do about order
   * @param known the functions of the plan, which are not read again
   */
  static ContentIdentity ofPlan(
      Op last, boolean deterministic, Map<Object, FunctionIdentity> known) {
    ContentDigest digest = named("", Bounds.ofCaptured());
    digest.plan(last, deterministic, known);
    return digest.identity();
  }

  private static ContentDigest named(String name, Bounds bounds) {
    ContentDigest digest =
        new ContentDigest(bounds, new ArrayList<>(), new ArrayList<>(), !name.isEmpty());
    if (!name.isEmpty()) {
      digest.way.add(name);
    }
    return digest;
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  private ContentIdentity identity() {
    return new ContentIdentity(HexFormat.of().formatHex(hash()), missing, isFixed);
  }

  private byte[] hash() {
    flush();
    return sha.digest();
  }

  // ---- values -----------------------------------------------------------------------------------

  private void value(@Nullable Object value) {
    bounds.nodes++;
    switch (value) {
      case null -> kind('0');
      case Boolean b -> kind('B').one(b ? 1 : 0);
      case Byte b -> kind('b').one(b);
      case Short s -> kind('s').number(s);
      case Character c -> kind('c').number(c);
      case Integer i -> kind('i').number(i);
      case Long l -> kind('l').number(l);
      case Float f -> kind('f').number(Float.floatToRawIntBits(f));
      case Double d -> kind('d').number(Double.doubleToRawLongBits(d));
      case String s -> kind('S').text(s);
      case Class<?> type -> kind('C').type(type);
      case Enum<?> e when !(e instanceof Identified) ->
          kind('E').type(e.getDeclaringClass()).text(e.name());
      case Tensor tensor -> inside(tensor, () -> tensor(tensor));
      default -> inside(value, () -> composite(value));
    }
  }

  /** Reads what is inside a value, unless it is inside itself, or too much. */
  @SuppressWarnings("ReferenceEquality") // the same object, whatever equals says
  private void inside(Object value, Runnable reading) {
    for (int i = open.size() - 1; i >= 0; i--) {
      if (open.get(i) == value) {
        kind('^').number(open.size() - i);
        return;
      }
    }
    if (bounds.arePassed()) {
      none(value.getClass(), ": it has " + bounds);
      return;
    }
    if (open.size() == MOST_DEPTH) {
      none(value.getClass(), ": it is nested more than " + MOST_DEPTH + " levels deep");
      return;
    }
    open.add(value);
    try {
      reading.run();
    } catch (RuntimeException | LinkageError e) {
      none(value.getClass(), " cannot be read: " + e);
    } finally {
      open.removeLast();
    }
  }

  private void part(Object step, @Nullable Object value) {
    way.add(step);
    try {
      value(value);
    } finally {
      way.removeLast();
    }
  }

  private void composite(Object value) {
    Class<?> type = value.getClass();
    switch (value) {
      case Identified identified -> {
        kind('N').text(isOurs(type) ? type.getName() : "");
        identified(identified.identity());
      }
      case Plan<?> plan -> plan(plan.op(), true, Map.of());
      case Op op -> plan(op, true, Map.of());
      default -> {
        if (type.isArray()) {
          array(value);
        } else if (type.isHidden()) {
          function(value);
        } else if (ClassContent.isOfPlatform(type)) {
          ofPlatform(value);
        } else {
          object(value);
        }
      }
    }
  }

  /** Whether it is a class of this library, which is known by its name. */
  private static boolean isOurs(Class<?> type) {
    return type.getModule() == ContentDigest.class.getModule()
        && type.getPackageName().startsWith("dev.headrace")
        && type.getProtectionDomain().getCodeSource() != null
        && type.getProtectionDomain()
            .getCodeSource()
            .equals(ContentDigest.class.getProtectionDomain().getCodeSource());
  }

  private void identified(Object standsForIt) {
    if (standsForIt instanceof ContentIdentity known) {
      kind('=').text(known.hash());
      isFixed &= known.isFixed();
      if (known.missing() != null) {
        missing(place() + ": " + known.missing());
      }
    } else {
      value(standsForIt);
    }
  }

  /** A plan: its operators, the last one first, each with how many inputs follow. */
  private void plan(Op last, boolean deterministic, Map<Object, FunctionIdentity> known) {
    ArrayDeque<Op> left = new ArrayDeque<>();
    left.push(last);
    kind('P');
    while (!left.isEmpty()) {
      Op op = left.pop();
      List<Op> inputs = op.inputs();
      if (!op.traits().shapesNothing()) {
        type(op.getClass()).text(op.word()).number(inputs.size());
        way.add(op.title());
        operator(op, deterministic, known);
        way.removeLast();
      }
      inputs.reversed().forEach(left::push);
    }
  }

  private void operator(Op op, boolean deterministic, Map<Object, FunctionIdentity> known) {
    Integer version = op.site().version();
    for (Map.Entry<String, @Nullable Object> part : OpShape.of(op.getClass()).shaping(op)) {
      Object value = part.getValue() == Order.DEFAULT ? Order.of(deterministic) : part.getValue();
      text(part.getKey());
      if (version != null && OpShape.isFunction(value)) {
        kind('v').text(String.valueOf(op.site().name())).number(version);
      } else if (version != null) { // the version stands for what cannot be read
        text(ContentIdentity.of(value).hash());
      } else if (value != null && known.containsKey(value)) {
        ContentIdentity function = known.get(value).content();
        kind('=').text(function.hash());
        isFixed &= function.isFixed();
        if (function.missing() != null) {
          missing(op.title() + ": " + function.missing());
        }
      } else {
        part(", " + part.getKey(), value);
      }
    }
  }

  private void tensor(Tensor tensor) {
    Tensor here = tensor.toHost();
    kind('T').text(here.dtype().name());
    number(here.shape().rank());
    for (int i = 0; i < here.shape().rank(); i++) {
      number(here.shape().dim(i));
    }
    if (here.dtype() == DType.STRING) {
      for (long i = 0; i < here.elements(); i++) {
        segment(here.segmentAt(i));
      }
    } else {
      here.borrow(this::segment);
    }
  }

  private void segment(MemorySegment memory) {
    number(memory.byteSize());
    if (memory.byteSize() > bounds.mostBytes - bounds.bytes) {
      missing(place() + ": it has " + bounds);
      return;
    }
    for (long at = 0; at < memory.byteSize(); at += 1 << 20) {
      bytes(
          memory
              .asSlice(at, Math.min(1 << 20, memory.byteSize() - at))
              .toArray(ValueLayout.JAVA_BYTE));
    }
  }

  private void array(Object array) {
    isFixed = false;
    int length = Array.getLength(array);
    kind('A').type(array.getClass().componentType()).number(length);
    switch (array) {
      case byte[] a -> segment(MemorySegment.ofArray(a));
      case short[] a -> segment(MemorySegment.ofArray(a));
      case char[] a -> segment(MemorySegment.ofArray(a));
      case int[] a -> segment(MemorySegment.ofArray(a));
      case long[] a -> segment(MemorySegment.ofArray(a));
      case float[] a -> segment(MemorySegment.ofArray(a));
      case double[] a -> segment(MemorySegment.ofArray(a));
      case boolean[] a -> {
        for (boolean each : a) {
          one(each ? 1 : 0);
        }
      }
      default -> {
        Object[] objects = (Object[]) array;
        for (int i = 0; i < length; i++) {
          if (bounds.arePassed()) {
            missing(place() + ": it has " + bounds);
            return;
          }
          part(i, objects[i]);
        }
      }
    }
  }

  // ---- functions and objects --------------------------------------------------------------------

  private void function(Object function) {
    SerializedLambda lambda = SerialForm.lambda(function);
    if (lambda == null) {
      Class<?>[] interfaces = function.getClass().getInterfaces();
      none(
          function.getClass(),
          " is a lambda that does not say what it is"
              + (interfaces.length == 0
                  ? ""
                  : ", because %s is not serializable; declare it as a dev.headrace.spi.Fn"
                      .formatted(interfaces[0].getName())));
      return;
    }
    kind('L').text(lambda.getFunctionalInterfaceClass());
    for (Class<?> each : function.getClass().getInterfaces()) {
      type(each); // it may have methods that call the lambda's
    }
    text(lambda.getFunctionalInterfaceMethodName());
    text(lambda.getFunctionalInterfaceMethodSignature());
    text(lambda.getInstantiatedMethodType());
    number(lambda.getImplMethodKind());
    text(lambda.getImplMethodName());
    text(lambda.getImplMethodSignature());
    String owner = lambda.getImplClass().replace('/', '.');
    try {
      // The class that the lambda's own class was made from: it is there already.
      code(Class.forName(owner, false, function.getClass().getClassLoader()));
    } catch (ClassNotFoundException e) {
      none(function.getClass(), ": its class " + owner + " cannot be found");
    }
    number(lambda.getCapturedArgCount());
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      Object captured = lambda.getCapturedArg(i);
      part(" captures " + (captured == null ? "null" : simpleName(captured.getClass())), captured);
    }
  }

  private void object(Object object) {
    Class<?> type = object.getClass();
    Layout layout = LAYOUTS.get(type);
    kind('O').type(type);
    if (layout.problem != null) {
      none(type, layout.problem);
      return;
    }
    isFixed &= layout.isFixed;
    if (layout.isClosed) {
      closed(object);
    } else {
      number(layout.fields.size());
      for (Field field : layout.fields) {
        text(field.getName());
        part("." + field.getName(), read(field, object));
      }
    }
    if (layout.hasItems) { // it extends a collection of the platform
      items(object);
    }
  }

  private static @Nullable Object read(Field field, Object object) {
    try {
      return field.get(object);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " cannot be read", e);
    }
  }

  /** An object of a package that its module keeps closed. */
  private void closed(Object object) {
    SerialForm form = SerialForm.of(object);
    if (form == null) {
      none(
          object.getClass(),
          " cannot be read, because its module keeps package %s closed; open it to dev.headrace.core"
              .formatted(object.getClass().getPackageName()));
      return;
    }
    kind('F').number(form.bytes().length);
    bytes(form.bytes());
    for (Object part : form.parts()) {
      part("." + simpleName(part.getClass()), part);
    }
  }

  /** What is known of a class of objects: its fields, unless something is in the way. */
  private record Layout(
      List<Field> fields,
      boolean isClosed,
      boolean hasItems,
      boolean isFixed,
      @Nullable String problem) {

    static Layout of(Class<?> type) {
      List<Field> fields = new ArrayList<>();
      boolean isClosed = false;
      boolean isFixed = true;
      Class<?> c = type;
      for (; c != null && !ClassContent.isOfPlatform(c); c = c.getSuperclass()) {
        Field[] declared = c.getDeclaredFields();
        Arrays.sort(declared, Comparator.comparing(Field::getName));
        for (Field field : declared) {
          if (!Modifier.isStatic(field.getModifiers())) {
            isClosed |= !field.trySetAccessible();
            isFixed &= Modifier.isFinal(field.getModifiers());
            fields.add(field);
          }
        }
      }
      boolean isEmpty = c == null || EMPTY_ANCESTORS.contains(c);
      boolean hasItems =
          !isEmpty && (Collection.class.isAssignableFrom(c) || Map.class.isAssignableFrom(c));
      String problem =
          isEmpty || hasItems ? null : " extends " + c.getName() + ", whose content cannot be read";
      return new Layout(List.copyOf(fields), isClosed, hasItems, isFixed && isEmpty, problem);
    }
  }

  // ---- the platform -----------------------------------------------------------------------------

  @SuppressWarnings("JavaUtilDate") // users capture it
  private void ofPlatform(Object value) {
    Class<?> type = value.getClass();
    if (value instanceof Collection<?> || value instanceof Map<?, ?>) {
      isFixed &= FIXED.contains(type);
      items(value);
      return;
    }
    if (TIMES.contains(type)) {
      kind('V').text(type.getName()).text(value.toString());
      return;
    }
    kind('V');
    switch (value) {
      case BigInteger number -> text("BigInteger").lengthAndBytes(number.toByteArray());
      case BigDecimal number ->
          text("BigDecimal")
              .lengthAndBytes(number.unscaledValue().toByteArray())
              .number(number.scale());
      case UUID uuid ->
          text("UUID").number(uuid.getMostSignificantBits()).number(uuid.getLeastSignificantBits());
      case Path path ->
          text("Path")
              .text(path.toString()) // a path is its text, and where it is
              .text(
                  path.getFileSystem().equals(FileSystems.getDefault())
                      ? ""
                      : path.toUri().toString());
      case File file -> text("File").text(file.getPath());
      case URI uri -> text("URI").text(uri.toString()); // a URI is its text
      case Pattern pattern -> text("Pattern").text(pattern.pattern()).number(pattern.flags());
      case Locale locale -> {
        text("Locale").text(locale.getLanguage()).text(locale.getScript());
        text(locale.getCountry()).text(locale.getVariant());
        number(locale.getExtensionKeys().size());
        for (char key : new TreeSet<>(locale.getExtensionKeys())) {
          number(key).text(locale.getExtension(key));
        }
      }
      case Charset charset -> text("Charset").text(charset.name());
      case Currency currency -> text("Currency").text(currency.getCurrencyCode());
      case ZoneId zone -> text("ZoneId").text(zone.getId());
      case Date date when type == Date.class -> {
        isFixed = false;
        text("Date").number(date.getTime());
      }
      case Optional<?> optional -> {
        text("Optional");
        value(optional.orElse(null));
      }
      case OptionalInt optional -> {
        text("OptionalInt");
        value(optional.isPresent() ? optional.getAsInt() : null);
      }
      case OptionalLong optional -> {
        text("OptionalLong");
        value(optional.isPresent() ? optional.getAsLong() : null);
      }
      case OptionalDouble optional -> {
        text("OptionalDouble");
        value(optional.isPresent() ? optional.getAsDouble() : null);
      }
      case AtomicInteger number -> changing("AtomicInteger", number.get());
      case AtomicLong number -> changing("AtomicLong", number.get());
      case AtomicBoolean flag -> changing("AtomicBoolean", flag.get());
      case AtomicReference<?> reference -> changing("AtomicReference", reference.get());
      case StringBuilder builder -> changing("StringBuilder", builder.toString());
      case StringBuffer text -> changing("StringBuffer", text.toString());
      case BitSet bits -> changing("BitSet", bits.toLongArray());
      case Map.Entry<?, ?> entry -> {
        isFixed = false;
        text("Entry");
        value(entry.getKey());
        value(entry.getValue());
      }
      case Comparator<?> order when orderNumber(order) >= 0 ->
          text("Comparator").number(orderNumber(order));
      default -> none(type, NO_CONTENT);
    }
  }

  private void changing(String kind, @Nullable Object now) {
    isFixed = false;
    text(kind);
    value(now);
  }

  @SuppressWarnings("ReferenceEquality") // there is one of each
  private static int orderNumber(Comparator<?> order) {
    for (int i = 0; i < ORDERS.size(); i++) {
      if (ORDERS.get(i) == order) {
        return i;
      }
    }
    return -1;
  }

  private void items(Object collection) {
    Class<?> type = ancestorOfPlatform(collection.getClass());
    if (showsOther(type)) {
      Object shown = SerialForm.shownBy(collection);
      if (shown instanceof Collection<?> || shown instanceof Map<?, ?>) {
        value(shown);
        return;
      }
      type = shown == null ? type : shown.getClass();
    }
    boolean isOrdered = ORDERED.contains(type) || collection instanceof EnumSet<?>;
    boolean isUnordered = UNORDERED.contains(type);
    switch (collection) {
      case Properties properties -> {
        kind('p'); // with the defaults, which are not among the entries
        Set<String> names = new TreeSet<>(properties.stringPropertyNames());
        number(names.size());
        names.forEach(name -> text(name).text(properties.getProperty(name)));
        unordered(properties.entrySet());
      }
      case List<?> list -> kind('[').inOrder(list);
      case SortedMap<?, ?> map -> {
        kind('>');
        part(".comparator", map.comparator());
        inOrder(map.entrySet());
      }
      case SortedSet<?> set -> {
        kind(')');
        part(".comparator", set.comparator());
        inOrder(set);
      }
      case PriorityQueue<?> queue -> {
        kind('q');
        part(".comparator", queue.comparator());
        inOrder(queue);
      }
      case Map<?, ?> map when isUnordered -> kind('{').unordered(map.entrySet());
      case Map<?, ?> map when isOrdered || map instanceof SequencedMap<?, ?> ->
          kind('<').inOrder(map.entrySet());
      case Set<?> set when isUnordered -> kind('}').unordered(set);
      case Set<?> set when isOrdered || set instanceof SequencedSet<?> -> kind('(').inOrder(set);
      case Collection<?> others when isUnordered -> kind('u').unordered(others);
      case Collection<?> others
          when isOrdered
              || others instanceof SequencedCollection<?>
              || others instanceof Queue<?> ->
          kind('*').text(type.getName()).inOrder(others);
      default -> none(type, NO_CONTENT); // whether its order says something is not known
    }
  }

  private static boolean showsOther(Class<?> type) {
    String outer = Collections.class.getName() + "$";
    return type.getName().startsWith(outer)
        && SHOWING_OTHERS.stream()
            .anyMatch(kind -> type.getName().startsWith(kind, outer.length()));
  }

  private static Class<?> ancestorOfPlatform(Class<?> type) {
    Class<?> ancestor = type;
    while (!ClassContent.isOfPlatform(ancestor)) {
      ancestor = ancestor.getSuperclass();
    }
    return ancestor;
  }

  private void inOrder(Collection<?> items) {
    number(items.size());
    int index = 0;
    for (Object item : items) {
      if (bounds.arePassed()) {
        missing(place() + ": it has " + bounds);
        return;
      }
      item(item, index++);
    }
    number(index); // in case it changed, or does not count right
  }

  private void unordered(Collection<?> items) {
    List<byte[]> hashes = new ArrayList<>();
    for (Object item : items) {
      if (bounds.arePassed()) {
        missing(place() + ": it has " + bounds);
        return;
      }
      ContentDigest own = new ContentDigest(bounds, open, way, isNamed);
      own.item(item, hashes.size());
      hashes.add(own.hash());
      isFixed &= own.isFixed;
      if (own.missing != null) {
        missing(own.missing);
      }
    }
    hashes.sort(Arrays::compareUnsigned);
    number(hashes.size());
    hashes.forEach(this::bytes);
  }

  private void item(@Nullable Object item, int index) {
    if (item instanceof Map.Entry<?, ?> entry && ClassContent.isOfPlatform(entry.getClass())) {
      kind('e');
      part("[key]", entry.getKey());
      part("[value]", entry.getValue());
    } else {
      part(index, item);
    }
  }

  // ---- what is missing --------------------------------------------------------------------------

  private void none(Class<?> type, String why) {
    kind('?').text(type.isHidden() ? "" : type.getName());
    missing(place() + ": " + (type.isHidden() ? "it" : type.getName()) + why);
  }

  private void missing(String what) {
    isFixed = false;
    if (missing == null) {
      missing = what;
    }
  }

  /** Where the reading is: {@code Scale.rng}, {@code Main.lambda$0 captures Model.names[3]}. */
  private String place() {
    StringBuilder text = new StringBuilder();
    if (!isNamed && !open.isEmpty()) {
      text.append(simpleName(open.getFirst().getClass()));
    }
    for (Object step : way) {
      text.append(step instanceof Integer index ? "[" + index + "]" : step);
    }
    return text.toString();
  }

  static String simpleName(Class<?> type) {
    String name = type.getTypeName();
    int hidden = name.indexOf("$$Lambda");
    String whole = hidden < 0 ? name : name.substring(0, hidden) + " lambda";
    return whole.substring(Math.max(whole.lastIndexOf('.'), whole.lastIndexOf('$')) + 1);
  }

  // ---- bytes ------------------------------------------------------------------------------------

  private ContentDigest kind(char kind) {
    return one(kind);
  }

  private ContentDigest one(int value) {
    room(1).put((byte) value);
    return this;
  }

  private ContentDigest number(long value) {
    room(8).putLong(value);
    return this;
  }

  /** A text by its chars, since not every one has a UTF-8 form of its own. */
  private ContentDigest text(String text) {
    number(text.length());
    for (int i = 0; i < text.length(); i++) {
      room(2).putChar(text.charAt(i));
    }
    return this;
  }

  private ContentDigest lengthAndBytes(byte[] bytes) {
    number(bytes.length);
    bytes(bytes);
    return this;
  }

  private void bytes(byte[] bytes) {
    flush();
    sha.update(bytes);
    bounds.bytes += bytes.length;
  }

  /** A type by its name, and by its code unless that is the library's. */
  private ContentDigest type(Class<?> type) {
    return isOurs(type) ? text(type.getName()) : code(type);
  }

  /** A class by its name, and by its code unless that is the platform's. */
  private ContentDigest code(Class<?> type) {
    text(type.getName());
    Class<?> bare = type;
    while (bare.isArray()) {
      bare = bare.componentType();
    }
    if (bare.isPrimitive() || ClassContent.isOfPlatform(bare)) {
      return this;
    }
    ClassContent code = ClassContent.of(bare);
    lengthAndBytes(code.hash());
    if (code.missing() != null) {
      missing(place() + ": " + code.missing());
    }
    return this;
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      flush();
    }
    return buffer;
  }

  private void flush() {
    bounds.bytes += buffer.position();
    sha.update(buffer.array(), 0, buffer.position());
    buffer.clear();
  }
}
