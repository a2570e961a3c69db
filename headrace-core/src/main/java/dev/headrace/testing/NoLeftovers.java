package dev.headrace.testing;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that fails a test which leaves a thread of a pipeline behind: a pipeline that
 * was not closed, or one that could not end. Threads that were there before the test are not its
 * fault, so a leak fails the test that made it and none after it. Leases are checked by closing
 * itself. During a test a batch ends with the next one however small it is ({@code
 * headrace.strict.batches}), so that a test with small batches finds one that is held too long.
 *
 * <pre>{@code @ExtendWith(NoLeftovers.class) class MyPipelineTest { … }}</pre>
 */
public final class NoLeftovers implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace MINE =
      ExtensionContext.Namespace.create(NoLeftovers.class);

  private static final String STRICT_BATCHES = "headrace.strict.batches";

  /**
   * What was there before a test; a type of its own, to be found again by it.
   *
   * @param strictBatches the property, or null
   */
  private record Before(Set<Thread> threads, @Nullable String strictBatches) {}

  @Override
  public void beforeEach(ExtensionContext context) {
    String strict = System.getProperty(STRICT_BATCHES);
    if (strict == null) {
      System.setProperty(STRICT_BATCHES, "true");
    }
    context.getStore(MINE).put(Before.class, new Before(LeftoverThreads.all(), strict));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Before before = context.getStore(MINE).remove(Before.class, Before.class);
    if (before != null && before.strictBatches == null) {
      System.clearProperty(STRICT_BATCHES);
    }
    List<String> names = LeftoverThreads.namesBeside(before == null ? Set.of() : before.threads());
    if (!names.isEmpty()) {
      throw new AssertionError(
          context.getDisplayName()
              + ": expected all pipelines to be closed, but these threads are left: "
              + names);
    }
  }
}
