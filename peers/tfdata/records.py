"""Ways to read the TFRecord files that the benchmark wrote: `records:SIZE:WAY`.

`build(case, path)` returns a dataset of all records, one after the other.
"""

import glob
import os

import tensorflow as tf


def build(case, path):
  _, size, way = case.split(":")
  files = sorted(glob.glob(os.path.join(path, size + "-*")))
  if way == "plain":
    return tf.data.TFRecordDataset(files)
  if way == "buffer_1m":
    return tf.data.TFRecordDataset(files, buffer_size=1 << 20)
  if way == "buffer_8m":
    return tf.data.TFRecordDataset(files, buffer_size=8 << 20)
  if way == "prefetch":
    return tf.data.TFRecordDataset(files, buffer_size=1 << 20).prefetch(tf.data.AUTOTUNE)
  if way == "parallel":
    return tf.data.TFRecordDataset(files, buffer_size=1 << 20, num_parallel_reads=2)
  raise ValueError("unknown case " + case)
