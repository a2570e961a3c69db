package dev.headrace.spi;

import dev.headrace.data.SlabPool;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
  public Map<String, R> assemble(Chunk elements, @Nullable SlabPool slabs, String owner) {
    Columns columns = Columns.of(elements, "batch", "use the collator without byLeaf");
    Map<String, R> byName = new LinkedHashMap<>();
    for (int leaf = 0; leaf < columns.rows().length; leaf++) {
      try {
        byName.put(
            columns.names().get(leaf),
            each.collate(List.<Object>of((Object[]) columns.rows()[leaf])));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("batch: cannot collate " + columns.names().get(leaf), e);
      }
    }
    return Collections.unmodifiableMap(byName);
  }
}
