"""Measures training steps on batches that PyTorch's DataLoader brings to a GPU, on request.

Reads one JSON object per line and answers with one:

  {"bytes": 19267584, "stepNs": 500000, "batches": 200, "workers": 4, "ownStream": false}
  {"aloneNs": 500412, "withNs": 2013377}

Both are nanoseconds of one step: on a batch that lies on the device already, and on batches of the DataLoader (pin_memory=True),
copied with non_blocking=True. A step is a kernel that spins for that long. Batches are made once and yielded again and again, so
that nothing is measured but their way: from a worker, through shared memory, into pinned memory, over the bus.

With ownStream copies are made ahead on a stream of their own, which users have to write by hand; without it on the stream of the
steps, as the documentation shows it, so that copies and steps take turns on the GPU.
"""

import json
import sys
import time


def answer(**fields):
  sys.stdout.write(json.dumps(fields) + "\n")
  sys.stdout.flush()


try:
  import torch
except ImportError as e:
  answer(error=str(e))
  sys.exit(1)

WARM = 8


class Batches(torch.utils.data.IterableDataset):
  """One batch, again and again; its memory is shared with the main process after the first time."""

  def __init__(self, size):
    self.size = size

  def __iter__(self):
    batch = torch.ones(self.size, dtype=torch.uint8)
    while True:
      yield batch


class Spin:
  """A kernel that takes so long, whatever the clock of the GPU is at the moment."""

  def __init__(self, nanos):
    self.cycles = int(nanos)
    for _ in range(3):
      self.cycles = max(1, int(self.cycles * nanos / self.measure()))

  def measure(self, repeats=50):
    torch.cuda.synchronize()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(repeats):
      torch.cuda._sleep(self.cycles)
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e6 / repeats

  def __call__(self):
    torch.cuda._sleep(self.cycles)


class Direct:
  """Copies on the stream of the steps."""

  def __init__(self, iterator):
    self.iterator = iterator

  def take(self):
    return next(self.iterator).to("cuda", non_blocking=True)


class Ahead:
  """Copies the next batch on a stream of its own."""

  def __init__(self, iterator):
    self.iterator = iterator
    self.stream = torch.cuda.Stream()
    self.load()

  def load(self):
    batch = next(self.iterator)
    with torch.cuda.stream(self.stream):
      self.next = batch.to("cuda", non_blocking=True)

  def take(self):
    current = torch.cuda.current_stream()
    current.wait_stream(self.stream)
    batch = self.next
    batch.record_stream(current)
    self.load()
    return batch


def timed(step, count):
  torch.cuda.synchronize()
  start = time.perf_counter_ns()
  for _ in range(count):
    step()
  torch.cuda.synchronize()
  return (time.perf_counter_ns() - start) / count


def main():
  if not torch.cuda.is_available():
    answer(error="PyTorch %s sees no GPU" % torch.__version__)
    return
  torch.set_num_threads(1)
  torch.zeros(1, device="cuda")
  answer(version=torch.__version__)
  loaders = {}
  for line in sys.stdin:
    request = json.loads(line)
    try:
      key = (int(request["bytes"]), int(request["workers"]), bool(request["ownStream"]))
      if key not in loaders:
        loader = torch.utils.data.DataLoader(
            Batches(key[0]), batch_size=None, num_workers=key[1], pin_memory=True,
            prefetch_factor=2 if key[1] > 0 else None)
        loaders[key] = (Ahead if key[2] else Direct)(iter(loader))
      source = loaders[key]
      spin = Spin(float(request["stepNs"]))

      def step():
        source.take()
        spin()

      # What was read ahead while nobody asked is not to be counted.
      for _ in range(WARM + 2 * key[1]):
        step()
      alone = timed(spin, int(request["batches"]))
      for _ in range(WARM + 2 * key[1]):
        step()
      answer(aloneNs=alone, withNs=timed(step, int(request["batches"])))
    except Exception as e:  # told to the other side, which decides
      answer(error="%s: %s" % (type(e).__name__, e))


if __name__ == "__main__":
  try:
    main()
  except (KeyboardInterrupt, BrokenPipeError):
    pass
