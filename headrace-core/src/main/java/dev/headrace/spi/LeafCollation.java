package dev.headrace.spi;

import dev.headrace.data.Tensor;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collates each leaf of structures by itself. */
final class LeafCollation<R> implements Assembler<Object, Map<String, R>> {
  private static final long serialVersionUID = 1;

  private final Collator<Object, R> each;

  LeafCollation(Collator<Object, R> each) {
    this.each = each;
  }

  @Override
  public String functionName() {
    return "byLeaf(" + FunctionIdentity.labelOf(each) + ")";
  }

  @Override
  public Object identity() {
    return each;
  }

  @Override
  public Map<String, R> assemble(Chunk elements, BatchBudget budget) {
    Columns columns = Columns.of(elements, "batch", "use the collator without byLeaf");
    Map<String, R> byName = new LinkedHashMap<>();
    for (int leaf = 0; leaf < columns.rows().length; leaf++) {
      try {
        byName.put(columns.names().get(leaf), collate(columns.rows()[leaf], budget.onHeap()));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("batch: cannot collate " + columns.names().get(leaf), e);
      }
    }
    return Collections.unmodifiableMap(byName);
  }

  private R collate(Tensor[] rows, BatchBudget budget) throws Exception {
    if (!(each instanceof Assembler<Object, R> assembler)) {
      return each.collate(List.<Object>of((Object[]) rows));
    }
    Chunk column = new Chunk();
    for (int row = 0; row < rows.length; row++) {
      column.add(rows[row], null, row);
    }
    return assembler.assemble(column, budget);
  }
}
