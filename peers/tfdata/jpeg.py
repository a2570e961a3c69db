"""The image pipelines of `headrace bench jpeg`, written for tf.data as its documentation advises.

`build(case, n, path, mode)` returns the dataset and how many batches it delivers. The folder holds `n` tf.train.Examples
in photos-*.tfrecord, each with a JPEG in `image` and an int64 `label`.

Cases: train (decode, resize to 224, float, shuffle(1000), batch(32), prefetch), crop (the same with a window of 250 x 320
decoded), half (the same decoded at half the size), sequential (train without parallel calls and prefetch).
"""

import os

import tensorflow as tf

_FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}
_DCT = "INTEGER_ACCURATE"


def _decoded(case, image):
  if case == "crop":
    return tf.io.decode_and_crop_jpeg(image, [62, 90, 250, 320], channels=3, dct_method=_DCT)
  if case == "half":
    return tf.io.decode_jpeg(image, channels=3, dct_method=_DCT, ratio=2)
  return tf.io.decode_jpeg(image, channels=3, dct_method=_DCT)


def build(case, n, path, mode):
  def prepared(record):
    features = tf.io.parse_single_example(record, _FEATURES)
    image = tf.image.resize(_decoded(case, features["image"]), (224, 224))
    return image, features["label"]

  calls = {"default": tf.data.AUTOTUNE, "autotune": tf.data.AUTOTUNE, "tuned": os.cpu_count()}[mode]
  if case == "sequential":
    calls = None
  files = sorted(tf.io.gfile.glob(os.path.join(path, "photos-*.tfrecord")))
  dataset = tf.data.TFRecordDataset(files).take(n)
  dataset = dataset.map(prepared, num_parallel_calls=calls)
  dataset = dataset.shuffle(1000, seed=7).batch(32)
  if case != "sequential":
    dataset = dataset.prefetch(2 if mode == "tuned" else tf.data.AUTOTUNE)
  return dataset, -(-n // 32)
