package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.Pipeline;
import dev.headrace.bench.StorageWorkload.Kind;
import dev.headrace.data.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MlperfStorageTest {
  private static final Duration STEP = Duration.ofMillis(1);
  private static final StorageWorkload RECORDS =
      new StorageWorkload("many", Kind.MANY_RECORDS, 3, 20, 1_000, 0, 8, STEP, 0.9);
  private static final StorageWorkload FILES =
      new StorageWorkload("one", Kind.ONE_RECORD, 10, 1, 5_000, 100, 1, STEP, 0.7);
  private static final StorageWorkload CROPS =
      new StorageWorkload("crop", Kind.CROPPED, 4, 1, 3_000_000, 500_000, 2, STEP, 0.9);

  @Test
  void everyWorkloadHasItsRows() throws Exception {
    MlperfStorage tiny = new MlperfStorage(0.04, List.of(RECORDS, FILES, CROPS));
    List<String> told = new ArrayList<>();
    List<Row> rows = tiny.run(new Setup(2, null, null, told::add));
    assertThat(rows)
        .extracting(Row::name)
        .startsWith(
            "many: accelerator utilisation",
            "many: waited for data",
            "many: cores used",
            "many: read while training",
            "many: the pipeline without a step",
            "many: plain reads, 1 thread",
            "many: plain reads, 2 threads",
            "one: accelerator utilisation")
        .hasSize(21);
    assertThat(rows.getFirst().ratio()).isNotNull();
    assertThat(rows.getFirst().bar()).hasToString("ratio >= 0.9");
    assertThat(rows).allMatch(row -> row.ours().low() >= 0);
    assertThat(tiny.notes())
        .contains(
            "many: 3 files of 20 records, 0.00 GB; batches of 8, a step takes 1.0 ms, which asks"
                + " for 0.008 GB/s.");
    assertThat(told).contains("many: writing file 1 of 3", "crop: limits 2 of 2");
    assertThat(Report.now("mlperf", 0, tiny.notes(), rows).toJson())
        .contains("\"one: plain reads, 2 threads\"");
  }

  @Test
  void filesAskForWhatTheirMeanAsksFor(@TempDir Path folder) throws Exception {
    assertThat(CROPS.write(folder, line -> {})).isEqualTo(4 * 3_000_000L);
    assertThat(StorageWorkload.unet3d(1).demand(146_600_628)).isCloseTo(3.177e9, within(1e6));
    assertThat(StorageWorkload.unet3d(0.1).files()).isEqualTo(7);
    try (var files = Files.list(folder)) {
      assertThat(files.mapToLong(file -> file.toFile().length()).distinct().count())
          .isGreaterThan(1);
    }
    try (Pipeline<Tensor> pipeline = CROPS.dataset(folder).open()) {
      int batches = 0;
      for (Tensor batch : pipeline) {
        assertThat(batch.shape().toArray()).containsExactly(2, StorageWorkload.CROP_BYTES);
        batches++;
      }
      assertThat(batches).isEqualTo(2);
    }
  }
}
