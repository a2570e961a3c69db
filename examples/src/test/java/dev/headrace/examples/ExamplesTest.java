package dev.headrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every example runs on the data it makes, and gives what it says. */
@Timeout(120)
class ExamplesTest {
  @Test
  void theLinterHasNothingToSay() {
    assertThat(SlowLoading.dataset(1000, 5).lint()).isEmpty();
    assertThat(ImagesFromFiles.dataset(Path.of("images")).lint()).isEmpty();
    assertThat(CachedRecords.dataset(Path.of("records"), 60, 80).lint()).isEmpty();
    assertThat(RecordsCachedFirst.dataset(Path.of("records"), 60, 80).lint()).isEmpty();
    assertThat(PhotoTraining.dataset(Path.of("flowers")).lint()).isEmpty();
  }

  @Test
  void slowLoading() {
    assertThat(SlowLoading.dataset(50, 5).toList()).hasSize(50);
    assertThat(printed(() -> SlowLoading.main(new String[] {"40", "5"})))
        .contains("40 loads of 5 ms each");
  }

  @Test
  void imagesFromFiles() throws IOException {
    Path folder = ExampleData.jpegFiles(40);
    List<Tensor> batches = ImagesFromFiles.dataset(folder).toList();
    assertThat(batches).hasSize(2);
    assertThat(batches.get(0).shape()).isEqualTo(Shape.of(32, 224, 224, 3));
    assertThat(batches.get(1).shape()).isEqualTo(Shape.of(8, 224, 224, 3));
    assertThat(batches.get(0).dtype()).isEqualTo(DType.FLOAT32);
    assertThat(printed(() -> ImagesFromFiles.main(new String[] {folder.toString()})))
        .contains("40 images")
        .contains("computed in place: resize(224, 224");
  }

  @Test
  void recordsCachedAfterAndBeforePreprocessingGiveTheSame() throws IOException {
    Path folder = ExampleData.rawRecords(70, 60, 80);
    List<Tensor> after = images(CachedRecords.dataset(folder, 60, 80).toList());
    List<Tensor> before = images(RecordsCachedFirst.dataset(folder, 60, 80).toList());
    assertThat(after).hasSize(70);
    assertThat(before).hasSize(70);
    for (int i = 0; i < after.size(); i++) {
      assertThat(after.get(i).shape()).isEqualTo(Shape.of(224, 224, 3));
      assertThat(after.get(i).contentEquals(before.get(i))).as("image %d", i).isTrue();
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
  void everyPhotographOncePerEpochInAnotherOrder() throws IOException {
    Path folder = ExampleData.photoRecords(60);
    try (Pipeline<PhotoTraining.Labelled> batches = PhotoTraining.dataset(folder).open()) {
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
  void theProgramsRun() {
    Set<String> said = new TreeSet<>();
    said.add(printed(() -> CachedRecords.main(new String[0])));
    said.add(printed(() -> RecordsCachedFirst.main(new String[0])));
    said.add(printed(() -> PhotoTraining.main(new String[0])));
    assertThat(said).hasSize(3).allMatch(text -> text.contains("epoch 1: "));
  }

  private interface Program {
    void run() throws IOException;
  }

  private static String printed(Program program) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      program.run();
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
