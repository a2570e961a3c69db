"""Measures what tf.data spends per element, on request.

Reads one JSON object per line and answers with one:

  {"chain": ["map", "map", "batch:128", "prefetch"], "mode": "default", "elements": 5000}
  {"case": "flat_map", "mode": "default", "elements": 5000, "path": "folder"}
  {"cpuNs": 281002345, "wallNs": 283400111}
  {"case": "jpeg:train", "mode": "default", "elements": 2000, "path": "folder", "memory": true}
  {"addedBytes": 731000832}
  {"autotune": {"parts": [...], "stepMicros": 0, "stepComputes": false}, "seconds": 6}
  {"wallNs": 6004112000, "cpuNs": 11873400000, "batches": 913}

Modes:
  default   no option set: what a Python user gets
  tuned     autotuning and default rewrites off, functions run by the single-threaded executor
            (use_inter_op_parallelism=False, which the public API does not offer)
  autotune  every map with num_parallel_calls=AUTOTUNE

Elements are consumed inside the runtime, by skip(n - 1), as tf.data's own benchmarks do; building the
dataset and its iterator is not timed. A batch is zipped before it is skipped, because a batch that is
skipped itself is never assembled.
"""

import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def answer(**fields):
  sys.stdout.write(json.dumps(fields) + "\n")
  sys.stdout.flush()


try:
  import tensorflow as tf
  from tensorflow.python.data.ops import map_op
except ImportError as e:
  answer(error=str(e))
  sys.exit(1)


def with_map(dataset, function, mode, calls=None):
  if mode == "autotune":
    calls = tf.data.AUTOTUNE
  if mode != "tuned":
    return dataset.map(function, num_parallel_calls=calls)
  if calls is None:
    return map_op._MapDataset(dataset, function, use_inter_op_parallelism=False)
  return map_op._ParallelMapDataset(
      dataset,
      function,
      num_parallel_calls=calls,
      deterministic=None,
      use_inter_op_parallelism=False)


def build(chain, mode, elements):
  """Builds a dataset, and says how many elements it delivers."""
  dataset = tf.data.Dataset.range(elements)
  delivered = elements
  for i, step in enumerate(chain):
    word, _, argument = step.partition(":")
    if word == "map":
      dataset = with_map(dataset, lambda x, i=i: x + (2 * i + 1), mode)
    elif word == "pmap":
      dataset = with_map(dataset, lambda x: x + 1, mode, int(argument))
    elif word == "filter":
      dataset = dataset.filter(lambda x: x >= 0)
    elif word == "take":
      dataset = dataset.take(elements)
    elif word == "shuffle":
      dataset = dataset.shuffle(int(argument), seed=7)
    elif word == "batch":
      dataset = dataset.batch(int(argument))
      delivered = -(-delivered // int(argument))
      if i == len(chain) - 1:
        dataset = tf.data.Dataset.zip((dataset,))
    elif word == "prefetch":
      dataset = dataset.prefetch(tf.data.AUTOTUNE)
    else:
      raise ValueError("unknown step " + step)
  return consumed(dataset, delivered, mode)


def consumed(dataset, delivered, mode):
  """The dataset reduced to its last element, with the options of the mode."""
  dataset = dataset.skip(delivered - 1)
  if mode == "tuned":
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    dataset = dataset.with_options(options)
  return dataset


def build_case(case, mode, elements, path):
  """One of operators.py, records.py, examples.py or jpeg.py, consumed inside the runtime."""
  if case.startswith("jpeg:"):
    import jpeg
    dataset, delivered = jpeg.build(case[len("jpeg:"):], elements, path, mode)
  elif case.startswith("records:"):
    import records
    dataset, delivered = records.build(case, path), elements
  elif "_examples" in case:
    import examples
    dataset, delivered = examples.build(case, elements, path, mode, with_map)
  else:
    import operators
    dataset, delivered = operators.build(case, elements, path)
  # Zipped, because some datasets pass over elements without making them.
  dataset = tf.data.Dataset.zip((dataset,))
  if delivered is None:
    delivered = int(sum(1 for _ in dataset))
  return consumed(dataset, delivered, mode)


def measure(dataset):
  iterator = iter(dataset)
  cpu = time.process_time_ns()
  wall = time.perf_counter_ns()
  next(iterator)
  wall = time.perf_counter_ns() - wall
  return time.process_time_ns() - cpu, wall


def memory_bytes(name):
  """VmRSS (now) or VmHWM (the peak) of this process."""
  with open("/proc/self/status") as status:
    for line in status:
      if line.startswith(name + ":"):
        return int(line.split()[1]) * 1024
  raise ValueError("no " + name + " in /proc/self/status")


def measure_memory(dataset):
  """What running a dataset once adds to the runtime's memory at its peak."""
  next(iter(tf.data.Dataset.range(10).map(lambda x: x + 1).skip(9)))
  idle = memory_bytes("VmRSS")
  next(iter(dataset))
  return memory_bytes("VmHWM") - idle


def main():
  datasets = {}
  answer(version=tf.__version__)
  for line in sys.stdin:
    request = json.loads(line)
    try:
      if "autotune" in request:
        import autotune
        answer(**autotune.measure(request["autotune"], request["seconds"], request.get("memory", False)))
        continue
      mode, elements = request["mode"], int(request["elements"])
      if "case" in request:
        if request.get("memory"):
          dataset = build_case(request["case"], mode, elements, request["path"])
          answer(addedBytes=measure_memory(dataset))
          continue
        key = (request["case"], mode, elements)
        if key not in datasets:
          datasets[key] = build_case(request["case"], mode, elements, request["path"])
          measure(datasets[key])
      else:
        chain = request["chain"]
        key = (tuple(chain), mode, elements)
        if key not in datasets:
          datasets[key] = build(chain, mode, elements)
          measure(datasets[key])
      cpu, wall = measure(datasets[key])
      answer(cpuNs=cpu, wallNs=wall)
    except Exception as e:  # told to the other side, which decides
      answer(error="%s: %s" % (type(e).__name__, e))


if __name__ == "__main__":
  try:
    main()
  except (KeyboardInterrupt, BrokenPipeError):
    pass
