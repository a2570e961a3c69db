package dev.headrace.report;

import dev.headrace.profile.OpProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Where each operator stands in the drawing: columns away from the consumer, and rows so that
 * branches do not cross and the first input goes straight on.
 *
 * @param column 0 for an operator that the consumer pulls
 * @param order all operators, each followed by its inputs, depth first
 */
record GraphLayout(int[] column, int[] row, int columns, int rows, List<Integer> order) {

  static GraphLayout of(List<OpProfile> operators) {
    int count = operators.size();
    List<List<Integer>> inputs = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    int[] column = new int[count];
    int columns = 0;
    for (int i = 0; i < count; i++) {
      inputs.add(new ArrayList<>());
      int by = OpView.pulledBy(operators, i);
      column[i] = by < 0 ? 0 : column[by] + 1;
      columns = Math.max(columns, column[i] + 1);
      (by < 0 ? ends : inputs.get(by)).add(i);
    }
    List<Integer> order = depthFirst(inputs, ends);
    int[] row = new int[count];
    int rows = 0;
    for (int i : order) {
      if (inputs.get(i).isEmpty()) {
        row[i] = rows++;
      }
    }
    for (int i = count - 1; i >= 0; i--) {
      if (!inputs.get(i).isEmpty()) {
        row[i] = row[inputs.get(i).getFirst()];
      }
    }
    return new GraphLayout(column, row, columns, rows, order);
  }

  private static List<Integer> depthFirst(List<List<Integer>> inputs, List<Integer> ends) {
    List<Integer> order = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>(ends);
    while (!open.isEmpty()) {
      int next = open.pop();
      order.add(next);
      inputs.get(next).reversed().forEach(open::push);
    }
    return order;
  }
}
