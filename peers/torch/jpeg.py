"""Measures PyTorch's DataLoader on the photographs of `headrace bench jpeg`, on request.

Reads one JSON object per line and answers with one:

  {"path": "folder", "elements": 2000, "workers": 2}
  {"cpuNs": 281002345, "wallNs": 283400111}

The folder holds photo-*.jpg; they are decoded by torchvision (libjpeg), resized to 224 x 224 floats, shuffled and put into
batches of 32, as torchvision's own training reference does. CPU time is that of this process and of the loader's workers,
which are started before the clock (persistent_workers), so that only their work counts.
"""

import json
import os
import sys
import time


def answer(**fields):
  sys.stdout.write(json.dumps(fields) + "\n")
  sys.stdout.flush()


try:
  import torch
  import torchvision
  from torchvision.io import ImageReadMode, decode_jpeg, read_file
  from torchvision.transforms import functional
except ImportError as e:
  answer(error=str(e))
  sys.exit(1)


class Photos(torch.utils.data.Dataset):

  def __init__(self, folder, elements):
    names = sorted(n for n in os.listdir(folder) if n.startswith("photo-"))
    self.files = [os.path.join(folder, names[i % len(names)]) for i in range(elements)]

  def __len__(self):
    return len(self.files)

  def __getitem__(self, index):
    image = decode_jpeg(read_file(self.files[index]), mode=ImageReadMode.RGB)
    return functional.resize(image.float(), [224, 224]), index % 10


def cpu_ns(processes):
  """CPU time of this process and of those given, from /proc, so that running ones count."""
  ticks = os.sysconf("SC_CLK_TCK")
  total = time.process_time_ns()
  for pid in processes:
    with open("/proc/%d/stat" % pid) as stat:
      fields = stat.read().rpartition(")")[2].split()
    total += (int(fields[11]) + int(fields[12])) * 1_000_000_000 // ticks
  return total


def measure(loader, workers):
  iterator = iter(loader)
  cpu = cpu_ns(workers)
  wall = time.perf_counter_ns()
  for _ in iterator:
    pass
  wall = time.perf_counter_ns() - wall
  return cpu_ns(workers) - cpu, wall


def main():
  torch.set_num_threads(1)
  answer(version=torch.__version__)
  loaders = {}
  for line in sys.stdin:
    request = json.loads(line)
    try:
      key = (request["path"], int(request["elements"]), int(request["workers"]))
      if key not in loaders:
        loader = torch.utils.data.DataLoader(
            Photos(key[0], key[1]), batch_size=32, shuffle=True, num_workers=key[2],
            persistent_workers=key[2] > 0)
        warm = iter(loader)
        for _ in warm:
          pass
        workers = [w.pid for w in getattr(warm, "_workers", [])]
        loaders[key] = (loader, workers)
      cpu, wall = measure(*loaders[key])
      answer(cpuNs=cpu, wallNs=wall)
    except Exception as e:  # told to the other side, which decides
      answer(error="%s: %s" % (type(e).__name__, e))


if __name__ == "__main__":
  try:
    main()
  except (KeyboardInterrupt, BrokenPipeError):
    pass
