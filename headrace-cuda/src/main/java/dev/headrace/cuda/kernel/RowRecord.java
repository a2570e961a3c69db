package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B32;
import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F32;
import static dev.headrace.cuda.kernel.PtxType.F64;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that rows of a launch differ in, as the generated code reads them: a record for each
 * row, in a table that is the kernel's only parameter.
 *
 * <p>It grows while code is generated. Code that needs a number says whose it is (of a node, or of
 * the job) and how to get it from that subject; other rows have a subject of the same kind at the
 * same place, and give theirs.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class RowRecord {
  static final String PARAMETER = "table";

  /** Stands in the text for the size of the record, until that is known. */
  private static final String SIZE = "RECORD_BYTES";

  /** How a number gets into the record that begins at byte {@code record}. */
  private interface Writer {
    void write(Object subject, TableBuilder table, int at);
  }

  /**
   * A number of the record.
   *
   * @param subject which of a row's subjects it is of
   * @param at the byte of the record where it lies
   */
  private record Slot(int subject, int at, Writer writer) {}

  private final Ptx ptx;
  private final Map<Object, Integer> subjects;
  private final List<Slot> slots = new ArrayList<>();
  private final Map<String, Operand> known = new HashMap<>();
  private @Nullable Operand table;
  private int bytes;

  /**
   * @param subjects the number of each subject of the row that code is generated from
   */
  RowRecord(Ptx ptx, Map<Object, Integer> subjects) {
    this.ptx = ptx;
    this.subjects = subjects;
  }

  private Operand table() {
    if (table == null) {
      table = ptx.op(B64, "ld.param.u64", new Operand(B64, "[" + PARAMETER + "]", 0));
    }
    return table;
  }

  // ---- numbers

  <S> Operand int32(S subject, String name, ToIntFunction<S> number) {
    return slot(subject, name, B32, (s, table, at) -> table.putInt(at, number.applyAsInt(cast(s))));
  }

  <S> Operand int64(S subject, String name, ToLongFunction<S> number) {
    return slot(
        subject, name, B64, (s, table, at) -> table.putLong(at, number.applyAsLong(cast(s))));
  }

  /** An integer of 32 or 64 bits. */
  <S> Operand index(S subject, String name, ToLongFunction<S> number, PtxType type) {
    return type == B64
        ? int64(subject, name, number)
        : int32(subject, name, s -> Math.toIntExact(number.applyAsLong(s)));
  }

  <S> Operand float32(S subject, String name, ToDoubleFunction<S> number) {
    return slot(
        subject,
        name,
        F32,
        (s, table, at) ->
            table.putInt(at, Float.floatToRawIntBits((float) number.applyAsDouble(cast(s)))));
  }

  <S> Operand float64(S subject, String name, ToDoubleFunction<S> number) {
    return slot(
        subject,
        name,
        F64,
        (s, table, at) ->
            table.putLong(at, Double.doubleToRawLongBits(number.applyAsDouble(cast(s)))));
  }

  /** The address of a place that is known only when the kernel runs. */
  <S> Operand address(S subject, String name, Function<S, MemoryPlace> place) {
    return slot(subject, name, B64, (s, table, at) -> table.putAddress(at, place.apply(cast(s))));
  }

  /** The address of the numbers of an {@code int[]} or {@code float[]}, kept in the table. */
  <S> Operand array(S subject, String name, Function<S, Object> array) {
    Operand offset =
        slot(
            subject,
            name,
            B64,
            (s, table, at) -> table.putLong(at, table.arrayAt(array.apply(cast(s)))));
    return ptx.op(B64, "add.s64", table(), offset);
  }

  @SuppressWarnings("unchecked")
  private static <S> S cast(Object subject) {
    return (S) subject;
  }

  private Operand slot(Object subject, String name, PtxType type, Writer writer) {
    int number = Objects.requireNonNull(subjects.get(subject));
    return known.computeIfAbsent(
        number + "." + name,
        key -> {
          int at = (bytes + type.bytes() - 1) / type.bytes() * type.bytes();
          bytes = at + type.bytes();
          slots.add(new Slot(number, at, writer));
          return ptx.load(type, "ld.global.nc." + type.word(), record(), at);
        });
  }

  private Operand record() {
    Operand row = ptx.special("%ctaid.y");
    return ptx.op(B64, "mad.wide.u32", row, new Operand(B32, SIZE, 0), table());
  }

  // ---- the whole

  private int size() {
    return (bytes + 15) / 16 * 16;
  }

  /** The text with the record's size in it. */
  String resolve(String text) {
    return text.replace(SIZE, Integer.toString(size()));
  }

  /** What writes the records of rows. */
  Layout layout() {
    return new Layout(size(), List.copyOf(slots));
  }

  /** A finished record: how the table of any rows of the same structure is made. */
  static final class Layout {
    private final int size;
    private final List<Slot> slots;

    private Layout(int size, List<Slot> slots) {
      this.size = size;
      this.slots = slots;
    }

    /**
     * The table of some rows.
     *
     * @param rows the subjects of each row, in order
     */
    Program.Table table(List<List<Object>> rows) {
      TableBuilder table = new TableBuilder(Math.multiplyExact(rows.size(), size));
      for (int row = 0; row < rows.size(); row++) {
        for (Slot slot : slots) {
          slot.writer.write(rows.get(row).get(slot.subject), table, row * size + slot.at);
        }
      }
      return table.build();
    }
  }
}
