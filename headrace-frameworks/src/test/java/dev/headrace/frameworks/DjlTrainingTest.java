package dev.headrace.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.modality.cv.transform.Resize;
import ai.djl.modality.cv.transform.ToTensor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.translate.TranslateException;
import dev.headrace.bench.Scenario;
import dev.headrace.data.Tensor;
import dev.headrace.djl.HeadraceDataset;
import dev.headrace.frameworks.PhotoFiles.Labelled;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("adapters")
@Timeout(300)
@ExtendWith(NoLeftovers.class)
class DjlTrainingTest {

  @TempDir private Path folder;

  @Test
  void isFoundByTheCommand() {
    assertThat(Scenario.available()).extracting(Scenario::name).contains("djl", "frameworks");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothSidesSeeTheSamePixels(boolean resizesImages) throws IOException, TranslateException {
    PhotoFiles photos = PhotoFiles.make(folder, 0, 4);
    Tensor ours = photos.decoded().first().orElseThrow().image();
    DjlPhotos theirs = DjlPhotos.of(photos, resizesImages, 2);
    try (NDManager manager = NDManager.newBaseManager()) {
      NDArray image = theirs.get(manager, 0).getData().head();
      NDArray seen =
          resizesImages
              ? new ToTensor().transform(image)
              : new ToTensor().transform(new Resize(64, 64).transform(image));
      float[] expected = seen.toFloatArray();
      assertThat(ours.shape().toArray()).isEqualTo(seen.getShape().getShape());
      double difference = 0;
      for (int i = 0; i < expected.length; i++) {
        difference += Math.abs(expected[i] - ours.floatAt(i)) / expected.length;
      }
      assertThat(difference).as("mean difference, of a range of 1").isLessThan(0.02);
    }
  }

  @Test
  void bothSidesTrain() throws IOException {
    PhotoFiles photos = PhotoFiles.make(folder, 0, 70);
    try (HeadraceDataset<Labelled> validation =
            HeadraceDataset.of(photos.decoded().batch(35), "image", "label");
        HeadraceDataset<Labelled> training =
            HeadraceDataset.of(photos.training(2), "image", "label").borrowing()) {
      assertThat(PhotoModel.train(training, validation, 2, null).error()).isBetween(0.0, 1.0);
      assertThat(training.pipeline().stats().elements()).isEqualTo(4);
      DjlSettings settings = new DjlSettings(true, 2, 2);
      assertThat(settings.train(photos, validation, 2).error()).isBetween(0.0, 1.0);
    }
  }
}
