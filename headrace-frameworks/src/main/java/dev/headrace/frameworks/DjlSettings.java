package dev.headrace.frameworks;

import ai.djl.modality.cv.ImageFactory;
import dev.headrace.data.Plural;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * How DJL's own loader is run.
 *
 * @param resizesImages see {@link DjlPhotos#of}
 * @param threads how many threads the trainer is given to make batches; 0 for none
 * @param prefetch how many batches are made ahead
 */
record DjlSettings(boolean resizesImages, int threads, int prefetch) {

  /** As in DJL's documentation: its transforms, on the trainer's thread. */
  static DjlSettings plain() {
    return new DjlSettings(false, 0, 2);
  }

  /** Those worth trying on this machine. */
  static List<DjlSettings> candidates() {
    int cores = Runtime.getRuntime().availableProcessors();
    List<DjlSettings> candidates = new ArrayList<>();
    for (boolean resizesImages : new boolean[] {false, true}) {
      candidates.add(new DjlSettings(resizesImages, 0, 2));
      candidates.add(new DjlSettings(resizesImages, cores, cores));
      candidates.add(new DjlSettings(resizesImages, cores, 2 * cores));
      candidates.add(new DjlSettings(resizesImages, 2 * cores, 4 * cores));
    }
    return candidates;
  }

  /** Trains on DJL's own loader. */
  PhotoModel.Trained train(
      PhotoFiles photos, ai.djl.training.dataset.Dataset validation, int epochs)
      throws IOException {
    DjlPhotos dataset = DjlPhotos.of(photos, resizesImages, prefetch);
    if (threads == 0) {
      return PhotoModel.train(dataset, validation, epochs, null);
    }
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      return PhotoModel.train(dataset, validation, epochs, executor);
    }
  }

  @Override
  public String toString() {
    return "%s, resized %s, %s"
        .formatted(
            ImageFactory.getInstance().getClass().getSimpleName(),
            resizesImages ? "as an image" : "by a transform",
            threads == 0
                ? "on the trainer's thread"
                : "%d %s, %d %s ahead"
                    .formatted(
                        threads,
                        Plural.word(threads, "thread"),
                        prefetch,
                        Plural.word(prefetch, "batch")));
  }
}
