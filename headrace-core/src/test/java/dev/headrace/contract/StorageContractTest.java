package dev.headrace.contract;

import static dev.headrace.contract.ContractChecks.check;
import static dev.headrace.contract.ContractChecks.failsOnSevens;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract on caches, saved datasets and dropped errors. */
@ExtendWith(NoLeftovers.class)
class StorageContractTest {
  @Test
  void cacheFileThatIsNotThereWhenResumed(@TempDir Path folder) {
    AtomicInteger files = new AtomicInteger();
    check(
        n ->
            Dataset.range(25)
                .map(x -> failsOnSevens(x), n)
                .cache(folder.resolve("cache-" + files.incrementAndGet())));
  }

  @Test
  void cacheFileThatIsThere(@TempDir Path folder) {
    check(
        n ->
            Dataset.range(15)
                .randomMap((x, random) -> random.nextInt(), Seed.of(2), n)
                .snapshot(folder)
                .repeat(2)
                .shuffle(4, Seed.of(2)));
  }

  @Test
  void load(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("saved");
    Dataset.range(50).save(file);
    check(n -> Dataset.<Long>load(file).map(x -> failsOnSevens(x), n));
  }

  @Test
  void ignoreErrors(@TempDir Path folder) {
    check(
        n ->
            Dataset.range(50)
                .map(x -> failsOnSevens(x), n)
                .ignoreErrors(ErrorBudget.share(0.2), folder.resolve("letters"))
                .prefetch(2)
                .shuffle(6, Seed.of(1)));
  }
}
