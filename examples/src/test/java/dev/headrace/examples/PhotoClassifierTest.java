package dev.headrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.image.testing.SyntheticPhotos;
import org.junit.jupiter.api.Test;

class PhotoClassifierTest {
  private static final int CLASSES = 10;

  record Labelled(Tensor image, Tensor label) {}

  private static Labelled photo(long number) {
    int label = (int) (number % CLASSES);
    return new Labelled(
        SyntheticPhotos.labelledPhoto(75, 100, label, CLASSES, number),
        Tensor.scalar((long) label));
  }

  @Test
  void learnsToKnowNineOfTenPhotographsThatItHasNotSeen() {
    PhotoClassifier model = new PhotoClassifier(CLASSES, 42);
    Dataset<Labelled> train =
        Dataset.range(640)
            .map(PhotoClassifierTest::photo)
            .cache()
            .shuffle(640, Seed.of(1))
            .batch(16);
    double first = 0;
    double last = 0;
    try (Pipeline<Labelled> batches = train.open()) {
      for (int epoch = 0; epoch < 8; epoch++) {
        for (Labelled batch : batches) {
          last = model.step(batch.image(), batch.label());
          first = first == 0 ? last : first;
        }
      }
    }
    assertThat(first).isBetween(1.5, 4.0); // ln 10 = 2.3: it guesses
    assertThat(last).isLessThan(0.5);
    assertThat(model.accuracy()).isGreaterThan(0.9);

    Labelled unseen =
        Dataset.range(5_000, 5_200)
            .map(PhotoClassifierTest::photo)
            .batch(200)
            .first()
            .orElseThrow();
    int[] found = model.classify(unseen.image());
    int right = 0;
    for (int i = 0; i < found.length; i++) {
      right += found[i] == unseen.label().longAt(i) ? 1 : 0;
    }
    assertThat(right).isGreaterThan(170);
  }

  @Test
  void theSameForBytesAndFloatsOfAnyScaleAndForTheSameSeed() {
    Labelled batch =
        Dataset.range(16).map(PhotoClassifierTest::photo).batch(16).first().orElseThrow();
    double bytes = new PhotoClassifier(CLASSES, 7).step(batch.image(), batch.label());
    double floats =
        new PhotoClassifier(CLASSES, 7).step(batch.image().convert(DType.FLOAT32), batch.label());
    double scaled =
        new PhotoClassifier(CLASSES, 7)
            .step(batch.image().convert(DType.FLOAT32).scale(1 / 255.0), batch.label());
    assertThat(floats).isEqualTo(bytes);
    assertThat(Math.abs(scaled - bytes)).isLessThan(1e-4);
  }

  @Test
  void saysWhatItTakes() {
    PhotoClassifier model = new PhotoClassifier(CLASSES, 7);
    assertThat(model.accuracy()).isZero();
    Tensor images = Tensor.zeros(DType.UINT8, Shape.of(2, 20, 20, 3));
    assertThatThrownBy(() -> model.step(Tensor.zeros(DType.UINT8, Shape.of(2, 20, 20)), images))
        .hasMessageStartingWith("PhotoClassifier: expected float32 or uint8 images")
        .hasMessageEndingWith("but got UINT8 [2, 20, 20]");
    assertThatThrownBy(() -> model.step(images, Tensor.of(new long[] {1})))
        .hasMessage(
            "PhotoClassifier: expected labels of shape [2], as many as images, but got [1]");
    assertThatThrownBy(() -> model.step(images, Tensor.of(1L, 10L)))
        .hasMessage("PhotoClassifier: expected labels from 0 to 9, but got 10");
    assertThatThrownBy(() -> new PhotoClassifier(1, 7))
        .hasMessage("PhotoClassifier: expected at least 2 classes, but got 1");
  }
}
