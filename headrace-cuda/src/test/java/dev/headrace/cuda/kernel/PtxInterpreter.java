package dev.headrace.cuda.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs kernels in PTX on the host, as far as the generator uses the language: an oracle for tests
 * where there is no device. Threads run one after the other, up to the next barrier.
 *
 * <p>What the language leaves open, or what differs between machines, fails: registers that were
 * never written, memory outside of what was allocated, instructions and modifiers that are not
 * known here.
 */
final class PtxInterpreter {
  private static final Pattern ENTRY = Pattern.compile("\\.visible \\.entry (\\w+)\\(");
  private static final Pattern REGISTERS = Pattern.compile("\\.reg \\.(\\w+) %(\\w)<(\\d+)>;");
  private static final Pattern SHARED =
      Pattern.compile("\\.shared \\.align (\\d+) \\.b8 (\\w+)\\[(\\d+)];");
  private static final Pattern LABEL = Pattern.compile("(\\w+):");
  private static final Pattern LINE = Pattern.compile("(?:@%p(\\d+) )?(\\S+?)(?: (.*))?;");
  private static final Pattern PLACE = Pattern.compile("\\[(%?\\w+)(?:\\+(\\d+))?]");

  /** What an instruction does to a thread. */
  private interface Step {
    void run(State thread);
  }

  /** What an instruction reads, as bits. */
  private interface Source {
    long of(State thread);
  }

  /** A thread. */
  private static final class State {
    private final long[] registers;
    private final boolean[] isWritten;
    private final int[] place = new int[6];
    private int next;
    private boolean waits;

    State(int registers) {
      this.registers = new long[registers];
      this.isWritten = new boolean[registers];
    }
  }

  private final String entry;
  private final DeviceMemory memory;
  private final List<Step> steps = new ArrayList<>();
  private final Map<String, Integer> firstRegister = new HashMap<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private int registers;
  private MemorySegment shared = MemorySegment.NULL;
  private long parameter;

  PtxInterpreter(String text, DeviceMemory memory) {
    this.memory = memory;
    Matcher entries = ENTRY.matcher(text);
    if (!entries.find()) {
      throw new IllegalArgumentException("no entry in " + text);
    }
    this.entry = entries.group(1);
    String body = text.substring(text.indexOf("{\n") + 2, text.lastIndexOf('}'));
    List<String> lines = body.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
    int count = 0;
    for (String line : lines) {
      Matcher label = LABEL.matcher(line);
      if (label.matches()) {
        labels.put(label.group(1), count);
      } else if (!line.startsWith(".")) {
        count++;
      }
    }
    lines.forEach(this::parse);
  }

  String entry() {
    return entry;
  }

  // ---- reading the text

  private void parse(String line) {
    Matcher register = REGISTERS.matcher(line);
    Matcher array = SHARED.matcher(line);
    if (register.matches()) {
      firstRegister.put(register.group(2), registers);
      registers += Integer.parseInt(register.group(3));
    } else if (array.matches()) {
      shared = MemorySegment.ofArray(new long[Integer.parseInt(array.group(3)) / 8]);
    } else if (!LABEL.matcher(line).matches()) {
      Matcher instruction = LINE.matcher(line);
      if (!instruction.matches()) {
        throw new IllegalArgumentException("not understood: " + line);
      }
      String operands = instruction.group(3);
      Step step =
          step(instruction.group(2), operands == null ? new String[0] : operands.split(", "));
      String predicate = instruction.group(1);
      if (predicate == null) {
        steps.add(step);
      } else {
        Source condition = source("%p" + predicate);
        steps.add(
            thread -> {
              if (condition.of(thread) != 0) {
                step.run(thread);
              }
            });
      }
    }
  }

  private int register(String name) {
    String letter = name.substring(1, 2);
    Integer first = firstRegister.get(letter);
    if (first == null) {
      throw new IllegalArgumentException("no such register: " + name);
    }
    return first + Integer.parseInt(name.substring(2));
  }

  private Source source(String text) {
    return switch (text) {
      case "%tid.x" -> thread -> thread.place[0];
      case "%ntid.x" -> thread -> thread.place[1];
      case "%ctaid.x" -> thread -> thread.place[2];
      case "%nctaid.x" -> thread -> thread.place[3];
      case "%ctaid.y" -> thread -> thread.place[4];
      default -> operand(text);
    };
  }

  private Source operand(String text) {
    if (text.startsWith("%")) {
      int register = register(text);
      return thread -> {
        if (!thread.isWritten[register]) {
          throw new IllegalStateException("register " + text + " was not written");
        }
        return thread.registers[register];
      };
    }
    if (text.startsWith("0f")) {
      long bits = Integer.parseUnsignedInt(text.substring(2), 16);
      return thread -> bits;
    }
    if (text.startsWith("0d") || text.startsWith("0x")) {
      long bits = Long.parseUnsignedLong(text.substring(2), 16);
      return thread -> bits;
    }
    if (text.equals("totals")) {
      return thread -> 0;
    }
    long number = Long.parseLong(text);
    return thread -> number;
  }

  private interface Unary {
    long apply(long value);
  }

  private interface Binary {
    long apply(long left, long right);
  }

  private Step set(String target, Source value) {
    int register = register(target);
    return thread -> {
      thread.registers[register] = value.of(thread);
      thread.isWritten[register] = true;
    };
  }

  private Step unary(String[] operands, Unary function) {
    Source source = source(operands[1]);
    return set(operands[0], thread -> function.apply(source.of(thread)));
  }

  private Step binary(String[] operands, Binary function) {
    Source left = source(operands[1]);
    Source right = source(operands[2]);
    return set(operands[0], thread -> function.apply(left.of(thread), right.of(thread)));
  }

  private Step step(String opcode, String[] operands) {
    String[] words = opcode.split("\\.");
    String type = words[words.length - 1];
    return switch (words[0]) {
      case "mov" -> unary(operands, bits -> bits);
      case "ld" -> loads(opcode, operands);
      case "st" -> stores(opcode, operands);
      case "cvt" -> unary(operands, conversion(words));
      case "add" -> binary(operands, rounded(opcode, "add", type, addition(type)));
      case "sub" -> binary(operands, rounded(opcode, "sub", type, subtraction(type)));
      case "mul" -> binary(operands, multiplication(opcode, type));
      case "div" -> binary(operands, rounded(opcode, "div", type, division(type)));
      case "mad" -> mad(opcode, operands);
      case "fma" -> fma(opcode, operands);
      case "min" -> binary(operands, extreme(type, true));
      case "max" -> binary(operands, extreme(type, false));
      case "abs" -> unary(operands, absolute(type));
      case "neg" -> unary(operands, negation(type));
      case "sqrt" ->
          unary(
              operands,
              switch (opcode) {
                case "sqrt.rn.f32" -> x -> bits((float) Math.sqrt(toFloat(x)));
                case "sqrt.rn.f64" -> x -> bits(Math.sqrt(toDouble(x)));
                default -> throw unknown(opcode);
              });
      case "copysign" -> {
        expect(opcode, "copysign.f64");
        yield binary(operands, (a, b) -> a & Long.MIN_VALUE | b & Long.MAX_VALUE);
      }
      case "setp" -> binary(operands, comparison(words[1], type));
      case "selp" -> selection(operands);
      case "and" -> binary(operands, (a, b) -> a & b);
      case "or" -> binary(operands, (a, b) -> a | b);
      case "shl" -> binary(operands, shift(opcode));
      case "shr" -> binary(operands, shift(opcode));
      case "bra" -> {
        int to = labels.get(operands[0]);
        yield thread -> thread.next = to;
      }
      case "bar" -> thread -> thread.waits = true;
      case "ret" -> thread -> thread.next = Integer.MAX_VALUE;
      default -> throw unknown(opcode);
    };
  }

  private static IllegalArgumentException unknown(String opcode) {
    return new IllegalArgumentException("unknown instruction: " + opcode);
  }

  private static void expect(String opcode, String... allowed) {
    if (!Arrays.asList(allowed).contains(opcode)) {
      throw unknown(opcode);
    }
  }

  // ---- bits

  private static float toFloat(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  private static double toDouble(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static long bits(float value) {
    return Float.floatToRawIntBits(value) & 0xFFFFFFFFL;
  }

  private static long bits(double value) {
    return Double.doubleToRawLongBits(value);
  }

  private static long bits(int value) {
    return value & 0xFFFFFFFFL;
  }

  static long load(MemorySegment piece, long at, int bytes) {
    return switch (bytes) {
      case 1 -> piece.get(JAVA_BYTE, at) & 0xFFL;
      case 2 -> piece.get(JAVA_SHORT_UNALIGNED, at) & 0xFFFFL;
      case 4 -> piece.get(JAVA_INT_UNALIGNED, at) & 0xFFFFFFFFL;
      default -> piece.get(JAVA_LONG_UNALIGNED, at);
    };
  }

  static void store(MemorySegment piece, long at, int bytes, long bits) {
    switch (bytes) {
      case 1 -> piece.set(JAVA_BYTE, at, (byte) bits);
      case 2 -> piece.set(JAVA_SHORT_UNALIGNED, at, (short) bits);
      case 4 -> piece.set(JAVA_INT_UNALIGNED, at, (int) bits);
      default -> piece.set(JAVA_LONG_UNALIGNED, at, bits);
    }
  }

  private static int bytes(String type) {
    return Integer.parseInt(type.substring(1)) / 8;
  }

  // ---- memory

  private Step loads(String opcode, String[] operands) {
    String[] words = opcode.split("\\.");
    String type = words[words.length - 1];
    int bytes = bytes(type);
    Matcher place = PLACE.matcher(operands[1]);
    if (!place.matches()) {
      throw unknown(opcode + " " + operands[1]);
    }
    if (opcode.equals("ld.param.u64")) {
      return set(operands[0], thread -> parameter);
    }
    Source base = source(place.group(1));
    long offset = place.group(2) == null ? 0 : Long.parseLong(place.group(2));
    // A register that is wider than what is loaded is filled up with the sign, or with zeros.
    boolean extendsSign = type.startsWith("s");
    int unused = 64 - bytes * 8;
    boolean isGlobal = opcode.startsWith("ld.global.nc.");
    if (!isGlobal && !opcode.startsWith("ld.shared.")) {
      throw unknown(opcode);
    }
    return set(
        operands[0],
        thread -> {
          long at = base.of(thread) + offset;
          long bits = isGlobal ? memory.load(at, bytes) : load(shared, at, bytes);
          return extendsSign ? bits((int) (bits << unused >> unused)) : bits;
        });
  }

  private Step stores(String opcode, String[] operands) {
    String[] words = opcode.split("\\.");
    int bytes = bytes(words[words.length - 1]);
    Matcher place = PLACE.matcher(operands[0]);
    if (!place.matches()) {
      throw unknown(opcode + " " + operands[0]);
    }
    Source base = source(place.group(1));
    long offset = place.group(2) == null ? 0 : Long.parseLong(place.group(2));
    Source value = source(operands[1]);
    boolean isGlobal = words[1].equals("global");
    return thread -> {
      long at = base.of(thread) + offset;
      if (isGlobal) {
        memory.store(at, bytes, value.of(thread));
      } else {
        store(shared, at, bytes, value.of(thread));
      }
    };
  }

  // ---- arithmetic

  /** Floats need their rounding spelled out, so that no two operations become one. */
  private static Binary rounded(String opcode, String name, String type, Binary function) {
    expect(opcode, name + (type.startsWith("f") ? ".rn." : ".") + type);
    return function;
  }

  private static Binary addition(String type) {
    return switch (type) {
      case "f32" -> (a, b) -> bits(toFloat(a) + toFloat(b));
      case "f64" -> (a, b) -> bits(toDouble(a) + toDouble(b));
      case "s32", "u32" -> (a, b) -> bits((int) (a + b));
      default -> (a, b) -> a + b;
    };
  }

  private static Binary subtraction(String type) {
    return switch (type) {
      case "f32" -> (a, b) -> bits(toFloat(a) - toFloat(b));
      case "f64" -> (a, b) -> bits(toDouble(a) - toDouble(b));
      case "s32", "u32" -> (a, b) -> bits((int) (a - b));
      default -> (a, b) -> a - b;
    };
  }

  private static Binary multiplication(String opcode, String type) {
    expect(opcode, "mul.rn.f32", "mul.rn.f64", "mul.lo.s32", "mul.lo.s64");
    return switch (type) {
      case "f32" -> (a, b) -> bits(toFloat(a) * toFloat(b));
      case "f64" -> (a, b) -> bits(toDouble(a) * toDouble(b));
      case "s32" -> (a, b) -> bits((int) (a * b));
      default -> (a, b) -> a * b;
    };
  }

  private static Binary division(String type) {
    return switch (type) {
      case "f32" -> (a, b) -> bits(toFloat(a) / toFloat(b));
      case "f64" -> (a, b) -> bits(toDouble(a) / toDouble(b));
      case "u32" ->
          (a, b) -> (int) b == 0 ? 0xFFFFFFFFL : bits(Integer.divideUnsigned((int) a, (int) b));
      case "u64" -> (a, b) -> b == 0 ? -1 : Long.divideUnsigned(a, b);
      case "s64" -> (a, b) -> b == 0 ? -1 : a / b;
      default -> throw unknown("div." + type);
    };
  }

  private Step mad(String opcode, String[] operands) {
    expect(opcode, "mad.wide.s32", "mad.wide.u32", "mad.lo.s64");
    Source left = source(operands[1]);
    Source right = source(operands[2]);
    Source plus = source(operands[3]);
    return set(
        operands[0],
        switch (opcode) {
          case "mad.wide.s32" -> t -> (long) (int) left.of(t) * (int) right.of(t) + plus.of(t);
          case "mad.wide.u32" ->
              t -> (left.of(t) & 0xFFFFFFFFL) * (right.of(t) & 0xFFFFFFFFL) + plus.of(t);
          default -> t -> left.of(t) * right.of(t) + plus.of(t);
        });
  }

  private Step fma(String opcode, String[] operands) {
    expect(opcode, "fma.rn.f64");
    Source left = source(operands[1]);
    Source right = source(operands[2]);
    Source plus = source(operands[3]);
    return set(
        operands[0],
        t -> bits(Math.fma(toDouble(left.of(t)), toDouble(right.of(t)), toDouble(plus.of(t)))));
  }

  private static Binary extreme(String type, boolean isMin) {
    return switch (type) {
      case "f32" -> (a, b) -> bits((float) extreme(toFloat(a), toFloat(b), isMin));
      case "f64" -> (a, b) -> bits(extreme(toDouble(a), toDouble(b), isMin));
      case "s32" -> (a, b) -> (int) a < (int) b == isMin ? a : b;
      case "s64" -> (a, b) -> a < b == isMin ? a : b;
      case "u64" -> (a, b) -> Long.compareUnsigned(a, b) < 0 == isMin ? a : b;
      default -> throw unknown("min." + type);
    };
  }

  /** Of a number and NaN, the number. */
  private static double extreme(double a, double b, boolean isMin) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Double.isNaN(a) ? b : a;
    }
    return isMin ? Math.min(a, b) : Math.max(a, b);
  }

  private static Unary absolute(String type) {
    return switch (type) {
      case "f32" -> a -> bits(Math.abs(toFloat(a)));
      case "f64" -> a -> bits(Math.abs(toDouble(a)));
      case "s32" -> a -> bits(Math.abs((int) a));
      case "s64" -> Math::abs;
      default -> throw unknown("abs." + type);
    };
  }

  private static Unary negation(String type) {
    return switch (type) {
      case "f32" -> a -> bits(-toFloat(a));
      case "f64" -> a -> bits(-toDouble(a));
      case "s32" -> a -> bits(-(int) a);
      case "s64" -> a -> -a;
      default -> throw unknown("neg." + type);
    };
  }

  private static Binary shift(String opcode) {
    return switch (opcode) {
      case "shl.b32" -> (a, b) -> b > 31 ? 0 : bits((int) a << b);
      case "shl.b64" -> (a, b) -> b > 63 ? 0 : a << b;
      case "shr.u32" -> (a, b) -> b > 31 ? 0 : bits((int) a >>> b);
      case "shr.s32" -> (a, b) -> bits((int) a >> Math.min(b, 31));
      case "shr.s64" -> (a, b) -> a >> Math.min(b, 63);
      default -> throw unknown(opcode);
    };
  }

  private static Binary comparison(String relation, String type) {
    if (type.startsWith("f")) {
      return (a, b) -> {
        double left = type.equals("f32") ? toFloat(a) : toDouble(a);
        double right = type.equals("f32") ? toFloat(b) : toDouble(b);
        boolean isNan = Double.isNaN(left) || Double.isNaN(right);
        boolean holds =
            switch (relation) {
              case "nan" -> isNan;
              case "neu" -> left != right;
              case "eq" -> left == right;
              case "lt" -> left < right;
              case "le" -> left <= right;
              case "gt" -> left > right;
              case "ge" -> left >= right;
              default -> throw unknown("setp." + relation);
            };
        return holds ? 1 : 0;
      };
    }
    return (a, b) -> {
      int order =
          switch (type) {
            case "s32" -> Integer.compare((int) a, (int) b);
            case "u32" -> Integer.compareUnsigned((int) a, (int) b);
            case "s64" -> Long.compare(a, b);
            case "u64" -> Long.compareUnsigned(a, b);
            default -> throw unknown("setp." + type);
          };
      boolean holds =
          switch (relation) {
            case "eq" -> order == 0;
            case "ne" -> order != 0;
            case "lt" -> order < 0;
            case "le" -> order <= 0;
            case "gt" -> order > 0;
            case "ge" -> order >= 0;
            default -> throw unknown("setp." + relation);
          };
      return holds ? 1 : 0;
    };
  }

  private Step selection(String[] operands) {
    Source then = source(operands[1]);
    Source otherwise = source(operands[2]);
    Source predicate = source(operands[3]);
    return set(operands[0], t -> predicate.of(t) != 0 ? then.of(t) : otherwise.of(t));
  }

  // ---- conversions

  private static Unary conversion(String[] words) {
    String rounding = words.length == 4 ? words[1] : "";
    String to = words[words.length - 2];
    String from = words[words.length - 1];
    boolean fromFloat = from.startsWith("f");
    boolean toFloat = to.startsWith("f");
    if (fromFloat && toFloat) {
      return betweenFloats(rounding, to, from);
    }
    if (toFloat) {
      return toFloat(rounding, to, from);
    }
    if (fromFloat) {
      return toInteger(rounding, to, from);
    }
    return switch (to + "." + from) {
      case "s64.s32" -> a -> (int) a;
      case "u64.u32" -> a -> a & 0xFFFFFFFFL;
      case "u32.u64" -> a -> a & 0xFFFFFFFFL;
      default -> throw unknown(String.join(".", words));
    };
  }

  private static Unary betweenFloats(String rounding, String to, String from) {
    return switch (rounding + "." + to + "." + from) {
      case ".f64.f32" -> a -> bits((double) toFloat(a));
      case "rn.f32.f64" -> a -> bits((float) toDouble(a));
      case ".f32.f16" -> a -> bits(Float.float16ToFloat((short) a));
      case "rn.f16.f32" -> a -> Float.floatToFloat16(toFloat(a)) & 0xFFFFL;
      case "rmi.f32.f32" -> a -> bits((float) Math.floor(toFloat(a)));
      case "rpi.f32.f32" -> a -> bits((float) Math.ceil(toFloat(a)));
      case "rmi.f64.f64" -> a -> bits(Math.floor(toDouble(a)));
      case "rni.f64.f64" -> a -> bits(Math.rint(toDouble(a)));
      default -> throw unknown("cvt." + rounding + "." + to + "." + from);
    };
  }

  private static Unary toFloat(String rounding, String to, String from) {
    return switch (rounding + "." + to + "." + from) {
      case "rn.f32.s32" -> a -> bits((float) (int) a);
      case "rn.f32.u32" -> a -> bits((float) (a & 0xFFFFFFFFL));
      case "rn.f32.s64" -> a -> bits((float) a);
      case "rn.f32.u64" -> a -> bits(a >= 0 ? (float) a : 2f * (a >>> 1 | a & 1));
      case "rn.f64.s32" -> a -> bits((double) (int) a);
      case "rn.f64.u32" -> a -> bits((double) (a & 0xFFFFFFFFL));
      case "rn.f64.s64" -> a -> bits((double) a);
      case "rn.f64.u64" -> a -> bits(a >= 0 ? (double) a : 2.0 * (a >>> 1 | a & 1));
      default -> throw unknown("cvt." + rounding + "." + to + "." + from);
    };
  }

  private static Unary toInteger(String rounding, String to, String from) {
    expect(rounding, "rzi");
    boolean isDouble = from.equals("f64");
    boolean isWide = to.endsWith("64");
    return a -> {
      double value = isDouble ? toDouble(a) : toFloat(a);
      if (Double.isNaN(value)) {
        return isWide ? Long.MIN_VALUE : isDouble ? 0x80000000L : 0;
      }
      return switch (to) {
        case "s32" -> bits((int) value);
        case "u32" -> Math.clamp((long) value, 0L, 0xFFFFFFFFL);
        case "s64" -> (long) value;
        case "u64" ->
            value < 0x1p63
                ? Math.max(0, (long) value)
                : value >= 0x1p64 ? -1 : (long) (value - 0x1p63) + Long.MIN_VALUE;
        default -> throw unknown("cvt." + to);
      };
    };
  }

  // ---- running

  /** Runs all blocks of a grid, one after the other. */
  void run(int gridX, int gridY, int threads, long parameter) {
    this.parameter = parameter;
    for (int y = 0; y < gridY; y++) {
      for (int x = 0; x < gridX; x++) {
        runBlock(x, y, gridX, threads);
      }
    }
  }

  private void runBlock(int x, int y, int gridX, int count) {
    List<State> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      State thread = new State(registers);
      thread.place[0] = i;
      thread.place[1] = count;
      thread.place[2] = x;
      thread.place[3] = gridX;
      thread.place[4] = y;
      threads.add(thread);
    }
    shared.fill((byte) 0xCD);
    while (threads.stream().anyMatch(thread -> thread.next < steps.size())) {
      long waiting = 0;
      long done = 0;
      for (State thread : threads) {
        runToBarrier(thread);
        waiting += thread.waits ? 1 : 0;
        done += thread.waits ? 0 : 1;
        thread.waits = false;
      }
      if (waiting > 0 && done > 0) {
        throw new IllegalStateException(
            "%d threads wait for %d that are gone".formatted(waiting, done));
      }
    }
  }

  private void runToBarrier(State thread) {
    while (thread.next < steps.size() && !thread.waits) {
      Step step = steps.get(thread.next++);
      step.run(thread);
    }
  }
}
