package dev.headrace.example;

import dev.headrace.data.Tensor;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.PureFn;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Parses serialised sequence examples.
 *
 * <p><b>Threading:</b> safe; each thread has its own buffers.
 */
final class SequenceParser implements PureFn<Tensor, Features>, FunctionIdentity.Named {
  private static final long serialVersionUID = 1;
  private static final int FIRST = 1 << 3 | Wire.DELIMITED;
  private static final int SECOND = 2 << 3 | Wire.DELIMITED;
  private static final String WORD = "sequence example";

  private final transient List<Feature> context;
  private final transient List<Feature> lists;
  private final transient ThreadLocal<State> states = ThreadLocal.withInitial(this::newState);

  /** What one thread parses with; lists are found by the columns of their steps. */
  private record State(
      ExampleReader context,
      List<Output> outputs,
      ExampleReader lists,
      List<StepColumn> steps,
      Map<Column, StepColumn> byColumn) {}

  SequenceParser(List<Feature> context, List<Feature> lists) {
    this.context = List.copyOf(context);
    this.lists = List.copyOf(lists);
    List<Feature> all = new ArrayList<>(context);
    all.addAll(lists);
    ExampleParser.check(all);
    State _ = newState(); // so that what does not fit fails here
  }

  private State newState() {
    List<Column> columns = new ArrayList<>();
    List<Output> outputs = new ArrayList<>();
    for (Feature feature : context) {
      outputs.add(Output.of(feature, columns));
    }
    List<StepColumn> steps = new ArrayList<>();
    List<Column> stepColumns = new ArrayList<>();
    Map<Column, StepColumn> byColumn = new HashMap<>();
    for (Feature feature : lists) {
      StepColumn column = new StepColumn(feature);
      steps.add(column);
      stepColumns.add(column.steps);
      byColumn.put(column.steps, column);
    }
    return new State(
        new ExampleReader(columns, ExampleParser.wanted(columns, Set.of())),
        outputs,
        new ExampleReader(stepColumns, ExampleParser.wanted(stepColumns, Set.of())),
        steps,
        byColumn);
  }

  @Override
  public String functionName() {
    return "sequenceExample(" + context + ", " + lists + ")";
  }

  @Override
  public Object identity() {
    return List.of(context, lists);
  }

  @Override
  public Features apply(Tensor serialised) {
    boolean single = ExampleParser.isSingle(WORD, serialised);
    int rows = (int) serialised.elements();
    State state = states.get();
    ExampleReader[] reading = {state.context};
    int row = 0;
    try {
      state.context.begin(rows);
      state.steps.forEach(steps -> steps.begin(rows));
      for (; row < rows; row++) {
        read(state, serialised.segmentAt(row), row, reading);
      }
      reading[0] = state.context;
      return build(state, rows, single);
    } catch (Wire.Malformed e) {
      throw reading[0].failure(WORD, e, row, single || row == rows);
    } finally {
      state.context.release();
      state.lists.release();
    }
  }

  private static void read(State state, MemorySegment record, int row, ExampleReader[] reading) {
    ExampleReader context = state.context;
    reading[0] = context;
    context.open(record);
    state.lists.open(record);
    int at = 0;
    while (at < context.size()) {
      Wire wire = context.wire().on(record, at, context.size());
      int tag = wire.tag();
      if (tag == FIRST || tag == SECOND) {
        int length = wire.length();
        int from = wire.at();
        at = from + length;
        if (tag == FIRST) {
          int _ = context.readFeatures(from, at, row);
        } else {
          reading[0] = state.lists;
          readLists(state, from, at, row);
          reading[0] = context;
        }
      } else {
        wire.skip(tag);
        at = wire.at();
      }
    }
    context.endRow(row);
    reading[0] = state.lists;
    for (StepColumn steps : state.steps) {
      state.lists.at(steps.steps.key);
      steps.endRow(row);
    }
    state.lists.at("");
  }

  private static void readLists(State state, int from, int to, int row) {
    ExampleReader reader = state.lists;
    MemorySegment record = reader.record();
    int at = from;
    while (at < to) {
      Wire wire = reader.wire().on(record, at, to);
      int tag = wire.tag();
      if (tag != FIRST) {
        wire.skip(tag);
        at = wire.at();
        continue;
      }
      int length = wire.length();
      int entry = wire.at();
      at = entry + length;
      for (Column column : reader.columnsOf(entry, at)) {
        reader.at(column.key);
        StepColumn steps = state.byColumn.get(column);
        if (steps != null) {
          steps.beginList(row);
          readEntry(reader, steps, entry, at);
        }
        reader.at("");
      }
    }
  }

  /** Reads the steps of the lists in an entry of the map. */
  private static void readEntry(ExampleReader reader, StepColumn steps, int from, int to) {
    MemorySegment record = reader.record();
    Wire wire = reader.wire();
    int at = from;
    while (at < to) {
      wire.on(record, at, to);
      int field = wire.tag();
      if (field != SECOND) {
        wire.skip(field);
        at = wire.at();
        continue;
      }
      int length = wire.length();
      int step = wire.at();
      at = step + length;
      while (step < at) {
        wire.on(record, step, at);
        int tag = wire.tag();
        if (tag == FIRST) {
          int bytes = wire.length();
          step = wire.at() + bytes;
          steps.readStep(wire, record, step - bytes, step);
        } else {
          wire.skip(tag);
          step = wire.at();
        }
      }
    }
  }

  private Features build(State state, int rows, boolean single) {
    SequencedMap<String, Object> byName = new LinkedHashMap<>();
    for (Output output : state.outputs) {
      state.context.at(output.feature().key());
      byName.put(output.feature().name(), output.build(rows, single));
    }
    state.context.at("");
    for (int i = 0; i < lists.size(); i++) {
      StepColumn steps = state.steps.get(i);
      String name = lists.get(i).name();
      byName.put(name, steps.build(rows, single));
      if (steps.hasLengths(single)) {
        byName.put(name + ".length", steps.lengths(rows));
      }
    }
    return new Features(Collections.unmodifiableSequencedMap(byName));
  }
}
