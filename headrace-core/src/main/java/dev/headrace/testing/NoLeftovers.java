package dev.headrace.testing;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that fails a test which leaves a thread of a pipeline behind: a pipeline that
 * was not closed, or one that could not end. Leases are checked by closing itself.
 *
 * <pre>{@code @ExtendWith(NoLeftovers.class) class MyPipelineTest { … }}</pre>
 */
public final class NoLeftovers implements AfterEachCallback {
  @Override
  public void afterEach(ExtensionContext context) {
    List<String> names = LeftoverThreads.names();
    if (!names.isEmpty()) {
      throw new AssertionError(
          context.getDisplayName()
              + ": expected all pipelines to be closed, but these threads are left: "
              + names);
    }
  }
}
