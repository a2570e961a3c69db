"""The pipelines of `headrace bench autotune`, made from a description, with every number left to AUTOTUNE.

Computing is a hash of a string (SipHash, one thread, no Python), as long as it takes: `_bytes_per_micro()` finds how
many bytes a microsecond has on an idle core. Waiting exists only in `files`, where tf.data has a dataset that sleeps;
a map cannot wait without calling Python, so pipelines with such a map are not asked for.

Batches are taken in a Python loop, which makes the training step, too: about 150 of them a second.
"""

import functools
import time

import tensorflow as tf
from tensorflow.python.data.experimental.ops import testing

_SETTLING_SECONDS = 5
_SETTLING_BATCHES = 200
_LONG = 1 << 60
_TEXT = tf.constant(b"headrace" * (1 << 20))
_LONGEST = 8 << 20
_PIECE = tf.constant(2_500_000, tf.int64)


def _hashed(length):
  """Zero, after a hash of so many bytes: nothing that a rewrite could foresee."""
  text = tf.strings.substr(_TEXT, 0, tf.cast(tf.minimum(length, _LONGEST), tf.int32))
  return tf.minimum(tf.strings.to_hash_bucket_strong(text, 1 << 40, [1, 2]), 0)


@functools.cache
def _bytes_per_micro():
  """From the difference of two lengths: what a call costs is not the work's.

  The fastest of many in turn, over seconds: a shared core is slow for a while, and that must not make the work less.
  """
  lengths = [500_000, 2_500_000]
  hashes = [tf.function(lambda length=length: _hashed(tf.constant(length, tf.int64))) for length in lengths]
  fastest = [float("inf")] * 2
  end = time.perf_counter() + 3
  while time.perf_counter() < end:
    for i, one in enumerate(hashes):
      start = time.perf_counter_ns()
      one()
      fastest[i] = min(fastest[i], time.perf_counter_ns() - start)
  return (lengths[1] - lengths[0]) / ((fastest[1] - fastest[0]) / 1e3)


def _lengths(micros):
  return tf.constant([round(one * _bytes_per_micro()) for one in micros], tf.int64)


def _hashed_in_pieces(length):
  """The same for more bytes than there are, or than a cache holds: one piece after the other."""
  _, zero = tf.while_loop(
      lambda left, zero: left > 0,
      lambda left, zero: (left - _PIECE, zero + _hashed(tf.minimum(left, _PIECE))),
      [length, tf.constant(0, tf.int64)], parallel_iterations=1)
  return zero


def _burn(lengths, number):
  """Computes as long as the table says for this element."""
  length = lengths[number % tf.size(lengths, tf.int64)]
  is_long = tf.get_static_value(lengths).max() > _LONGEST
  return _hashed_in_pieces(length) if is_long else _hashed(length)


def _first(element):
  return element if element.shape.rank == 0 else element[0]


def _mapped(dataset, part):
  lengths = _lengths(part["micros"])
  return dataset.map(
      lambda x: x + _burn(lengths, _first(x)), num_parallel_calls=tf.data.AUTOTUNE if part["parallel"] else None)


def _sized(dataset, part):
  kilobytes = tf.constant([int(one) for one in part["kilobytes"]], tf.int64)
  lengths = _lengths([one * part["microsPerKilobyte"] for one in part["kilobytes"]])

  def made(x):
    zero = tf.cast(_burn(lengths, x), tf.uint8)
    return tf.fill([1000 * kilobytes[x % tf.size(kilobytes, tf.int64)]], zero)

  return dataset.map(made, num_parallel_calls=tf.data.AUTOTUNE)


def _filtered(dataset, part):
  lengths = _lengths([part["micros"]])
  return dataset.filter(lambda x: (x + _burn(lengths, x)) % int(part["oneOf"]) == 0)


def _files(dataset, part):
  each = _lengths([part["micros"]])
  lengths = tf.constant([int(one) for one in part["lengths"]], tf.int64)

  def opened(file):
    first = tf.data.Dataset.range(1).apply(testing.sleep(int(part["firstWaitMicros"])))
    rest = tf.data.Dataset.range(1, lengths[file % tf.size(lengths, tf.int64)])
    return first.concatenate(rest).map(lambda x: x + _burn(each, x))

  return dataset.interleave(
      opened, cycle_length=int(part["cycle"]), block_length=1, num_parallel_calls=tf.data.AUTOTUNE)


def _batched(dataset, part):
  size = int(part["size"])
  return dataset.ragged_batch(size) if part["ragged"] else dataset.batch(size)


def _large(dataset, part):
  """Floats that are computed, one shape for all."""
  lengths = _lengths(part["micros"])
  floats = int(part["floats"])
  return dataset.map(
      lambda x: tf.fill([floats], tf.cast(x + _burn(lengths, x), tf.float32)), num_parallel_calls=tf.data.AUTOTUNE)


_OPS = {
    "map": _mapped,
    "sized": _sized,
    "filter": _filtered,
    "files": _files,
    "batch": _batched,
    "large": _large,
    "prefetch": lambda dataset, part: dataset.prefetch(tf.data.AUTOTUNE),
}


def build(pipeline):
  dataset = tf.data.Dataset.range(_LONG)
  for part in pipeline["parts"]:
    dataset = _OPS[part["op"]](dataset, part)
  return dataset


def _step(pipeline):
  micros = pipeline["stepMicros"]
  if micros <= 0:
    return lambda: None
  if pipeline["stepComputes"]:
    lengths = _lengths([micros])
    computed = tf.function(lambda: _burn(lengths, tf.constant(0, tf.int64)))
    return computed
  return lambda: time.sleep(micros / 1e6)


def _memory_bytes(name):
  with open("/proc/self/status") as status:
    for line in status:
      if line.startswith(name + ":"):
        return int(line.split()[1]) * 1024
  raise ValueError("no " + name + " in /proc/self/status")


def measure(pipeline, seconds, memory):
  """Runs a pipeline for so long after its first 5 s or 200 batches; `memory` adds what it took at its peak."""
  step = _step(pipeline)
  step()
  dataset = build(pipeline)
  next(iter(tf.data.Dataset.range(10).map(lambda x: x + 1).skip(9)))
  idle = _memory_bytes("VmRSS") if memory else 0
  batches = 0
  opened = time.perf_counter_ns()
  start = None
  for _ in dataset:
    batches += 1
    now = time.perf_counter_ns()
    if start is None:
      if batches >= _SETTLING_BATCHES or now - opened >= _SETTLING_SECONDS * 1e9:
        start, first, cpu = now, batches, time.process_time_ns()
    elif now - start >= seconds * 1e9:
      result = dict(wallNs=now - start, cpuNs=time.process_time_ns() - cpu, batches=batches - first)
      if memory:
        result["addedBytes"] = _memory_bytes("VmHWM") - idle
      return result
    step()
