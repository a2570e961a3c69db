package dev.headrace.examples;

import static dev.headrace.examples.Shown.SHORT;
import static dev.headrace.examples.Shown.advised;
import static dev.headrace.examples.Shown.nothing;
import static dev.headrace.examples.Shown.shown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.examples.Comparison.Looks;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Verdict.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every example runs on the data it makes, gives what it says, and leaves nothing behind. Verdicts
 * are checked where they follow from how the pipeline is made, not from how fast the machine is.
 */
@Timeout(120)
class ExamplesTest {
  // ---- 000
  // ----------------------------------------------------------------------------------------

  @Test
  void slowLoading() {
    assertThat(SlowLoading.overlapped(50, 5).toList()).hasSize(50);
    Shown<Comparison.Result> shown = shown(() -> SlowLoading.show(SHORT, 1000, 20));
    assertThat(shown.text()).contains("mostly waits while it does", "So: prefetching to a device");
    for (String form : List.of("as written", "as written, to a device")) {
      assertThat(shown.result().of(form).verdict().kind()).isEqualTo(Kind.SERIAL_BOUND);
      assertThat(shown.result().of(form).verdict().where()).startsWith("map (SlowLoading.java:");
      assertThat(advised(shown.result().of(form))).contains(Advice.Action.PARALLELISE);
    }
  }

  @Test
  void balancedTransfer() {
    for (Dataset<Tensor> form :
        List.of(BalancedTransfer.onTheCpu(), BalancedTransfer.ahead(Device.host()))) {
      List<Float> sums =
          form.take(3).toList().stream().map(each -> each.toHost().floatValue()).toList();
      assertThat(sums).containsExactly(0f, 10_000f, 40_000f);
    }
    Shown<Comparison.Result> shown = shown(() -> BalancedTransfer.show(SHORT));
    assertThat(shown.text())
        .startsWith("On ")
        .contains(" in the step, prefetching to the device is ")
        .contains("The diagnosis: ");
    List<Comparison.Outcome> copied =
        shown.result().outcomes().stream()
            .filter(outcome -> outcome.name().startsWith("on the device"))
            .toList();
    assertThat(copied).hasSize(2);
    for (Comparison.Outcome outcome : copied) {
      // At least four were delivered, and at most two more copied, or two copied before.
      assertThat(outcome.transfer().bytes()).isBetween(20_000.0, 60_000.0);
    }
  }

  @Test
  void arraySlices() {
    assertThat(ArraySlices.batches().toList()).hasSize(32);
    assertThat(ArraySlices.ahead(Device.host()).toList())
        .hasSize(32)
        .allMatch(mean -> Math.abs(mean.toHost().floatValue() - 0.5) < 0.05);
    assertThat(shown(() -> ArraySlices.show(SHORT)).text())
        .startsWith("On ")
        .contains("So: where slicing an array is all there is to load");
  }

  @Test
  void limitsOfPrefetching() {
    Shown<Comparison.Result> shown = shown(() -> LimitsOfPrefetching.show(new Looks(1, 4)));
    assertThat(shown.text()).contains("So: the device is saturated", "by arithmetic 1.04");
    for (String form :
        List.of(
            "loading is the limit, copied when asked for", "loading is the limit, copied ahead")) {
      assertThat(shown.result().of(form).verdict().kind()).isEqualTo(Kind.SERIAL_BOUND);
    }
    List<Double> bounds =
        LimitsOfPrefetching.CASES.stream().map(LimitsOfPrefetching.Case::bound).toList();
    assertThat(bounds.getFirst()).isEqualTo(1.8);
    assertThat(bounds.subList(1, bounds.size())).allMatch(bound -> bound < 1.05);
  }

  // ---- 002
  // ----------------------------------------------------------------------------------------

  @Test
  void loadingFiles() throws IOException {
    try (ExampleData data = ExampleData.filesAndRecords(30, 100)) {
      List<byte[]> files = LoadingFiles.filesInParallel(data.folder()).toList();
      List<Tensor> records = LoadingFiles.records(data.folder()).toList();
      assertThat(files).hasSize(30);
      for (int i = 0; i < files.size(); i++) {
        assertThat(records.get(i).bytesValue()).isEqualTo(files.get(i));
      }
      assertThat(shown(() -> LoadingFiles.show(SHORT, data.folder())).text())
          .contains("So: records of 10 kB are read");
    }
  }

  @Test
  void transferredBatches() {
    Shown<Comparison.Result> shown = shown(() -> TransferredBatches.show(new Looks(1, 2)));
    assertThat(shown.text()).contains("So: counted in elements");
    assertThat(shown.result().of("batch(8), copied ahead").verdict().kind())
        .isEqualTo(Kind.TRANSFER_BOUND);
  }

  @Test
  void imagesFromFiles() throws IOException {
    try (ExampleData data = ExampleData.jpegFiles(40)) {
      List<Tensor> batches = ImagesFromFiles.dataset(data.folder()).toList();
      assertThat(batches).hasSize(2);
      assertThat(batches.get(0).shape()).isEqualTo(Shape.of(32, 224, 224, 3));
      assertThat(batches.get(1).shape()).isEqualTo(Shape.of(8, 224, 224, 3));
      assertThat(batches.get(0).dtype()).isEqualTo(DType.FLOAT32);
      assertThat(shown(() -> ImagesFromFiles.show(SHORT, data.folder())).text())
          .contains("listFiles(", "So: as written, files are decoded in parallel");
      assertThat(
              ImagesFromFiles.sequentially(data.folder())
                  .toList()
                  .get(1)
                  .contentEquals(batches.get(1)))
          .isTrue();
    }
  }

  @Test
  void recordsCachedAfterAndBeforePreprocessingGiveTheSame() throws IOException {
    try (ExampleData data = ExampleData.rawRecords(70, 60, 80)) {
      List<Tensor> after = images(CachedRecords.dataset(data.folder(), 60, 80).toList());
      List<Tensor> before = images(RecordsCachedFirst.dataset(data.folder(), 60, 80).toList());
      List<Tensor> there =
          images(
              RecordsCachedFirst.preprocessedThere(data.folder(), 60, 80, Device.host()).toList());
      assertThat(after).hasSize(70);
      assertThat(before).hasSize(70);
      assertThat(there).hasSize(70);
      for (int i = 0; i < after.size(); i++) {
        assertThat(after.get(i).shape()).isEqualTo(Shape.of(224, 224, 3));
        assertThat(after.get(i).contentEquals(before.get(i))).as("image %d", i).isTrue();
        assertThat(after.get(i).contentEquals(there.get(i))).as("image %d there", i).isTrue();
      }
    }
  }

  private static List<Tensor> images(List<Tensor> batches) {
    List<Tensor> images = new ArrayList<>();
    for (Tensor batch : batches) {
      for (long i = 0; i < batch.shape().dim(0); i++) {
        images.add(batch.slice(i));
      }
    }
    return images;
  }

  @Test
  void cachedRecordsAreShown() throws IOException {
    try (ExampleData data = ExampleData.rawRecords(64, CachedRecords.HEIGHT, CachedRecords.WIDTH)) {
      Shown<Comparison.Result> cached = shown(() -> CachedRecords.show(SHORT, data.folder()));
      assertThat(cached.text()).contains("So: with everything cached");
      assertThat(cached.result().of("as written").megabytes()).isGreaterThan(64 * 0.6);
      assertThat(shown(() -> RecordsCachedFirst.show(SHORT, data.folder())).text())
          .startsWith("On ")
          .contains(
              "So: with preprocessing on the CPU in every epoch, prefetching to the device is");
    }
  }

  // ---- all of them
  // --------------------------------------------------------------------------------

  @Test
  void theLinterHasNothingToSayOfWhatIsRight() {
    Path folder = Path.of("data");
    for (Dataset<?> dataset :
        List.of(
            SlowLoading.overlapped(1000, 5),
            BalancedTransfer.ahead(Device.host()),
            ArraySlices.ahead(Device.host()),
            PrefetchInTheCall.correct(),
            ImagesFromFiles.dataset(folder),
            CachedRecords.dataset(folder, 60, 80),
            RecordsCachedFirst.dataset(folder, 60, 80),
            RecordsCachedFirst.preprocessedThere(folder, 60, 80, Device.host()),
            FitWithPrefetch.inParallel(folder).batch(32),
            PhotoTraining.dataset(folder))) {
      assertThat(dataset.lint()).isEmpty();
    }
  }

  @Test
  void everyPhotographOncePerEpochInAnotherOrder() throws IOException {
    try (ExampleData data = ExampleData.photoRecords(60);
        Pipeline<PhotoTraining.Labelled> batches = PhotoTraining.dataset(data.folder()).open()) {
      List<List<Float>> epochs = new ArrayList<>();
      for (int epoch = 0; epoch < 2; epoch++) {
        List<Float> corners = new ArrayList<>();
        for (PhotoTraining.Labelled batch : batches) {
          for (long i = 0; i < batch.label().elements(); i++) {
            corners.add(batch.image().slice(i).floatAt(50_000) + batch.label().longAt(i));
          }
        }
        epochs.add(corners);
      }
      assertThat(epochs.get(0)).hasSize(60).isNotEqualTo(epochs.get(1));
      assertThat(sorted(epochs.get(0))).isEqualTo(sorted(epochs.get(1)));
      assertThat(batches.explain())
          .contains("shuffle (PhotoTraining.java")
          .contains("computed in place, 'image': scale(0.00392) ← resize(224, 224")
          .contains("decodeJpeg");
    }
  }

  private static List<Float> sorted(List<Float> values) {
    return values.stream().sorted(Comparator.naturalOrder()).toList();
  }

  @Test
  void photoTraining() throws IOException {
    try (ExampleData data = ExampleData.photoRecords(60)) {
      assertThat(shown(() -> nothing(() -> PhotoTraining.show(data.folder(), 2))).text())
          .contains("completed after 4 steps", "So: steps of 20 ms on 32 photographs");
    }
  }

  @Test
  void dataIsRemoved() throws IOException {
    Path folder;
    try (ExampleData data = ExampleData.jpegFiles(2)) {
      folder = data.folder();
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files).hasSize(2);
      }
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void everyProgramIsListedAndOnThePage() throws Exception {
    Set<String> ids = new HashSet<>();
    try (InputStream in =
            Objects.requireNonNull(
                Comparison.class.getResourceAsStream("/META-INF/headrace/demos"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line : lines.lines().filter(each -> !each.startsWith("#")).toList()) {
        String[] parts = line.split("\\s+", 3);
        assertThat(parts).hasSize(3);
        assertThat(Class.forName(parts[1]).getMethod("main", String[].class)).isNotNull();
        assertThat(ids.add(parts[0])).as(line).isTrue();
      }
    }
    Set<String> onPage = new HashSet<>();
    Matcher marks =
        Pattern.compile("<!-- figures: (\\S+) -->\n> ")
            .matcher(Files.readString(Path.of("../docs/inside/seeds.md")));
    while (marks.find()) {
      onPage.add(marks.group(1));
    }
    assertThat(ids.remove("photos")).isTrue(); // ours, of none of the texts
    assertThat(onPage).isEqualTo(ids).hasSize(20);
  }
}
