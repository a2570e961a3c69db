package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The text of one kernel in PTX, while it is written.
 *
 * <p>Generators ask for values, again and again for the same ones. An instruction stands in the
 * text once however often it is asked for, and outside of all loops that it does not depend on. So
 * generators may be simple, and ask for whatever they need where they need it.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class Ptx {
  /* Loops within loops are scopes, outermost first. Each has text of its own, which is put behind
   * its parent's when the loop ends: what does not change in the loop can be written to the
   * parent's text, before the loop, at any time. An instruction is known in the scope that it is
   * written to, and so wherever its result can be read. */

  private static final String HEAD =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      """;

  private static final class Scope {
    private final Map<Object, Object> known = new HashMap<>();
    private final StringBuilder text = new StringBuilder();
  }

  /** A register that is written more than once. */
  record Variable(PtxType type, String text) {}

  private final List<Scope> scopes = new ArrayList<>(List.of(new Scope()));
  private final int[] registers = new int[PtxType.values().length];
  private int labels;
  private String declarations = "";

  private int depth() {
    return scopes.size() - 1;
  }

  private String register(PtxType type) {
    return "%" + type.letter() + registers[type.ordinal()]++;
  }

  // ---- values

  /** The result of an instruction that has no effect besides it. */
  Operand op(PtxType type, String opcode, Operand... operands) {
    int depth = 0;
    StringJoiner read = new StringJoiner(", ");
    for (Operand operand : operands) {
      depth = Math.max(depth, operand.depth());
      read.add(operand.text());
    }
    return once(type, opcode, read.toString(), depth);
  }

  /** What lies {@code offset} bytes after an address, in memory that the kernel does not change. */
  Operand load(PtxType type, String opcode, Operand address, long offset) {
    return once(type, opcode, place(address, offset), address.depth());
  }

  /** What lies there at this moment, in memory that changes. */
  Operand loadNow(PtxType type, String opcode, Operand address, long offset) {
    Operand result = new Operand(type, register(type), depth());
    line(opcode + " " + result + ", " + place(address, offset) + ";");
    return result;
  }

  private Operand once(PtxType type, String opcode, String read, int depth) {
    Scope scope = scopes.get(depth);
    Object known = scope.known.get(opcode + " " + read);
    if (known instanceof Operand operand) {
      return operand;
    }
    Operand result = new Operand(type, register(type), depth);
    write(scope, opcode + " " + result + ", " + read + ";");
    scope.known.put(opcode + " " + read, result);
    return result;
  }

  /** A register of the machine, as {@code %tid.x}. */
  Operand special(String name) {
    return once(PtxType.B32, "mov.u32", name, 0);
  }

  private static String place(Operand address, long offset) {
    return "[" + address + (offset == 0 ? "" : "+" + offset) + "]";
  }

  /** What {@code make} gives, which is asked only once for a key where its result can be read. */
  @SuppressWarnings("unchecked")
  <T> T remember(Object key, Supplier<T> make) {
    for (Scope scope : scopes) {
      Object known = scope.known.get(key);
      if (known != null) {
        return (T) known;
      }
    }
    T made = make.get();
    scopes.getLast().known.put(key, made);
    return made;
  }

  // ---- effects

  void store(String opcode, Operand address, long offset, Operand value) {
    line(opcode + " " + place(address, offset) + ", " + value + ";");
  }

  /** Ends the thread where a condition holds. */
  void exitIf(Operand predicate) {
    line("@" + predicate + " bra END;");
  }

  /** An instruction as it is, where the text is now. */
  void line(String instruction) {
    write(scopes.getLast(), instruction);
  }

  private static void write(Scope scope, String line) {
    scope.text.append("  ").append(line).append('\n');
  }

  /** Text that stands before all instructions, as for shared memory. */
  void declare(String declaration) {
    declarations += "  " + declaration + "\n";
  }

  // ---- variables and loops

  Variable variable(Operand initial) {
    Variable variable = new Variable(initial.type(), register(initial.type()));
    assign(variable, initial);
    return variable;
  }

  void assign(Variable variable, Operand value) {
    line("mov." + variable.type.word() + " " + variable.text + ", " + value + ";");
  }

  /** The value that a variable has now. */
  Operand read(Variable variable) {
    Operand now = new Operand(variable.type, register(variable.type), depth());
    line("mov." + variable.type.word() + " " + now + ", " + variable.text + ";");
    return now;
  }

  /** Counts from one number to before another; the body may be run never. */
  void loop(Operand from, Operand to, Operand step, Consumer<Operand> body) {
    String number = Integer.toString(labels++);
    Variable counter = variable(from);
    scopes.add(new Scope());
    Operand now = new Operand(counter.type, counter.text, depth());
    String unsigned = counter.type == PtxType.B64 ? "u64" : "u32";
    String done = register(PtxType.PREDICATE);
    scopes.getLast().text.append("LOOP").append(number).append(":\n");
    line("setp.ge." + unsigned + " " + done + ", " + now + ", " + to + ";");
    line("@" + done + " bra DONE" + number + ";");
    body.accept(now);
    line("add." + unsigned + " " + now + ", " + now + ", " + step + ";");
    line("bra LOOP" + number + ";");
    Scope ended = scopes.removeLast();
    ended.text.append("DONE").append(number).append(":\n");
    scopes.getLast().text.append(ended.text);
  }

  // ---- the whole

  /**
   * The module.
   *
   * @param comment what the kernel computes
   * @param parameter the name of its one parameter, an address
   */
  String text(String comment, String entry, int threads, String parameter) {
    StringBuilder text = new StringBuilder(HEAD);
    text.append("\n// ").append(comment).append('\n');
    text.append(".visible .entry %s(.param .u64 %s)\n".formatted(entry, parameter));
    text.append(".maxntid %d, 1, 1\n{\n".formatted(threads));
    text.append(declarations);
    for (PtxType type : PtxType.values()) {
      int count = registers[type.ordinal()];
      if (count > 0) {
        text.append("  .reg .%s %%%c<%d>;\n".formatted(type.word(), type.letter(), count));
      }
    }
    return text.append(scopes.getFirst().text).append("END:\n  ret;\n}\n").toString();
  }
}
