"""tf.train.Example parsed by tf.data, from the files that the benchmark wrote into `path`.

`build(case, n, path, mode, with_map)` returns the dataset and how many batches it delivers. Examples are parsed by
the batch, as the documentation advises.
"""

import os

import tensorflow as tf


def _tabular():
  features = {"label": tf.io.FixedLenFeature([], tf.int64)}
  for i in range(1, 14):
    features["I%d" % i] = tf.io.FixedLenFeature([], tf.float32)
  for i in range(14, 40):
    features["C%d" % i] = tf.io.FixedLenFeature([], tf.int64)
  return features


_IMAGE = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/class/label": tf.io.FixedLenFeature([], tf.int64),
}


def build(case, n, path, mode, with_map):
  word, _, where = case.partition("_examples")
  features = _tabular() if word == "tabular" else _IMAGE
  size = 1024 if word == "tabular" else 32
  records = tf.data.TFRecordDataset(os.path.join(path, word + ".tfrecord"))
  delivered = -(-n // size)
  if where == "_in_memory":
    batches = records.batch(size).take(1).cache().repeat(delivered)
  else:
    batches = records.take(n).batch(size)
  return with_map(batches, lambda batch: tf.io.parse_example(batch, features), mode), delivered
