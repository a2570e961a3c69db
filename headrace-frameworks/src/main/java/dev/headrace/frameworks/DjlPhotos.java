package dev.headrace.frameworks;

import ai.djl.modality.cv.Image;
import ai.djl.modality.cv.ImageFactory;
import ai.djl.modality.cv.transform.Resize;
import ai.djl.modality.cv.transform.ToTensor;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.RandomAccessDataset;
import ai.djl.training.dataset.Record;
import ai.djl.util.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The photographs as a dataset of DJL's own, read by its image factory, as its users write it. */
final class DjlPhotos extends RandomAccessDataset {
  private final List<Path> files;
  private final boolean resizesImages;

  private DjlPhotos(Builder builder, List<Path> files, boolean resizesImages) {
    super(builder);
    this.files = files;
    this.resizesImages = resizesImages;
  }

  /**
   * The dataset.
   *
   * @param resizesImages whether an image is resized before it becomes an array; else by the
   *     transform that DJL's documentation shows
   * @param prefetch how many batches are made ahead, where the trainer has threads
   */
  static DjlPhotos of(PhotoFiles photos, boolean resizesImages, int prefetch) throws IOException {
    Builder builder =
        new Builder().setSampling(PhotoFiles.BATCH, true, true).optPrefetchNumber(prefetch);
    if (!resizesImages) {
      builder.addTransform(new Resize(PhotoFiles.SIDE, PhotoFiles.SIDE));
    }
    builder.addTransform(new ToTensor());
    return new DjlPhotos(builder, photos.list(), resizesImages);
  }

  @Override
  public Record get(NDManager manager, long index) throws IOException {
    Path file = files.get((int) index);
    Image image = ImageFactory.getInstance().fromFile(file);
    if (resizesImages) {
      image = image.resize(PhotoFiles.SIDE, PhotoFiles.SIDE, false);
    }
    return new Record(
        new NDList(image.toNDArray(manager)),
        new NDList(manager.create((long) PhotoFiles.label(file))));
  }

  @Override
  protected long availableSize() {
    return files.size();
  }

  @Override
  public void prepare(@Nullable Progress progress) {}

  private static final class Builder extends BaseBuilder<Builder> {
    @Override
    protected Builder self() {
      return this;
    }
  }
}
