"""One dataset for each operator of tf.data, over about `n` elements, as its documentation advises to write it.

`build(case, n, path)` returns the dataset and how many elements it delivers; `path` is a folder with the files that
the benchmark wrote: lines.txt, fixed.bin, rows.csv, saved/ (made here on first use), each with `n` records.
"""

import os

import tensorflow as tf

Dataset = tf.data.Dataset


def _vectors(n):
  """Vectors of one to eight numbers, made beforehand, so that making them costs little."""
  tensors = [tf.constant([i] * (i % 8 + 1), dtype=tf.int64) for i in range(64)]
  parts = [Dataset.from_tensors(t) for t in tensors]
  everything = parts[0]
  for part in parts[1:]:
    everything = everything.concatenate(part)
  return everything.cache().repeat(n // 64)


def _ceil(n, size):
  return -(-n // size)


def build(case, n, path):
  n = max(64, n - n % 64)
  longs = Dataset.range(n)
  if case == "range":
    return longs, n
  if case == "from_tensor_slices":
    return Dataset.from_tensor_slices(tf.range(n, dtype=tf.int64)), n
  if case == "counter":
    return Dataset.counter().take(n), n
  if case == "random":
    return Dataset.random(seed=7).take(n), n
  if case == "generator":
    return Dataset.from_generator(
        lambda: range(n), output_signature=tf.TensorSpec((), tf.int64)), n
  if case == "text_lines":
    return tf.data.TextLineDataset(os.path.join(path, "lines.txt")).take(n), n
  if case == "fixed_length_records":
    return tf.data.FixedLengthRecordDataset(os.path.join(path, "fixed.bin"), 32).take(n), n
  if case == "csv":
    return tf.data.experimental.CsvDataset(
        os.path.join(path, "rows.csv"), [tf.int64, tf.float32, tf.string], header=True).take(n), n
  if case == "map":
    return longs.map(lambda x: x + 1), n
  if case == "parallel_map":
    return longs.map(lambda x: x + 1, num_parallel_calls=2), n
  if case == "filter":
    return longs.filter(lambda x: x >= 0), n
  if case == "flat_map":
    return Dataset.range(n // 64).flat_map(lambda x: Dataset.range(64)), n
  if case == "interleave":
    return Dataset.range(n // 64).interleave(
        lambda x: Dataset.range(64), cycle_length=4, block_length=8), n
  if case == "skip":
    return Dataset.range(n + 10).skip(10), n
  if case == "take":
    return Dataset.range(n + 10).take(n), n
  if case == "take_while":
    return longs.take_while(lambda x: x >= 0), n
  if case == "enumerate":
    return longs.enumerate(), n
  if case == "concatenate":
    return Dataset.range(n // 2).concatenate(Dataset.range(n // 2)), n // 2 * 2
  if case == "zip":
    return Dataset.zip((longs, Dataset.range(n))), n
  if case == "shard":
    return Dataset.range(2 * n).shard(2, 1), n
  if case == "repeat":
    return Dataset.range(n // 64).repeat(64), n
  if case == "shuffle":
    return longs.shuffle(1000, seed=7), n
  if case == "global_shuffle":
    from tensorflow.python.data.experimental.ops import global_shuffle_op
    return global_shuffle_op._global_shuffle(longs, seed=7), n
  if case == "cache":
    return Dataset.range(n // 8).cache().repeat(8), n // 8 * 8
  if case == "cache_file":
    name = os.path.join(path, "tf-cache-%d" % n)
    return Dataset.range(n // 8).cache(name).repeat(8), n // 8 * 8
  if case == "prefetch":
    return longs.prefetch(tf.data.AUTOTUNE), n
  if case == "batch":
    return longs.batch(128), _ceil(n, 128)
  if case == "padded_batch":
    return _vectors(n).padded_batch(32), _ceil(n, 32)
  if case == "ragged_batch":
    return _vectors(n).ragged_batch(32), _ceil(n, 32)
  if case == "sparse_batch":
    return _vectors(n).sparse_batch(32, [8]), _ceil(n, 32)
  if case == "unbatch":
    return longs.batch(64).unbatch(), n
  if case == "rebatch":
    return longs.batch(64).rebatch(48), _ceil(n, 48)
  if case == "bucket_by_sequence_length":
    return _vectors(n).bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], bucket_boundaries=[3, 6], bucket_batch_sizes=[32, 32, 32]), None
  if case == "group_by_window":
    return longs.group_by_window(
        key_func=lambda x: x % 4, reduce_func=lambda k, w: w.batch(32), window_size=32), None
  if case == "group_by_reducer":
    reducer = tf.data.experimental.Reducer(
        init_func=lambda k: tf.constant(0, tf.int64),
        reduce_func=lambda s, x: s + x,
        finalize_func=lambda s: s)
    return longs.apply(tf.data.experimental.group_by_reducer(lambda x: x % 4, reducer)), 4
  if case == "window":
    return longs.window(8, drop_remainder=True).flat_map(lambda w: w.batch(8)), n // 8
  if case == "scan":
    return longs.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x)), n
  if case == "unique":
    return longs.unique(), n
  if case == "rejection_resample":
    return longs.rejection_resample(
        lambda x: tf.cast(x % 2, tf.int32), target_dist=[0.5, 0.5], initial_dist=[0.5, 0.5],
        seed=7), None
  if case == "sample_from":
    halves = [Dataset.range(n // 2), Dataset.range(n // 2)]
    return Dataset.sample_from_datasets(halves, weights=[0.5, 0.5], seed=7), n // 2 * 2
  if case == "choose_from":
    halves = [Dataset.range(n // 2), Dataset.range(n // 2)]
    return Dataset.choose_from_datasets(halves, Dataset.range(2).repeat(n // 2)), n // 2 * 2
  if case == "ignore_errors":
    return longs.ignore_errors(), n
  if case == "assert_cardinality":
    return longs.apply(tf.data.experimental.assert_cardinality(n)), n
  if case == "load":
    folder = os.path.join(path, "tf-saved-%d" % n)
    if not os.path.exists(folder):
      longs.save(folder)
    return Dataset.load(folder), n
  if case == "snapshot":
    return longs.snapshot(os.path.join(path, "tf-snapshot-%d" % n)), n
  raise ValueError("unknown case " + case)
