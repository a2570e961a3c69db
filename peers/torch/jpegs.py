"""Measures PyTorch's DataLoader on the TFRecords of `headrace bench device`, on request.

Reads one JSON object per line and answers with one:

  {"path": "folder", "batches": 100, "batch": 256, "workers": 16, "mode": "floats", "half": true}
  {"wallNs": 4571428571}

The folder holds photos-*.tfrecord, whose examples have an image (a JPEG) and a label. Workers read and decode them (torchvision,
libjpeg) and resize them to 224 x 224 bilinearly; batches are pinned and copied with non_blocking=True. What comes out is what a
model takes: floats of mean 0 and deviation 1, channels first, in device memory.

  mode "floats": workers convert and normalise, so that floats travel
  mode "bytes":  workers give bytes, which are converted and normalised on the device

Records come in order, for ever: no epoch ends, and no worker is ever restarted.
"""

import json
import os
import struct
import sys
import time


def answer(**fields):
  sys.stdout.write(json.dumps(fields) + "\n")
  sys.stdout.flush()


try:
  import torch
  import torchvision
  from torchvision.io import ImageReadMode, decode_jpeg
  from torchvision.transforms import functional
except ImportError as e:
  answer(error=str(e))
  sys.exit(1)

MEAN = [123.675, 116.28, 103.53]
DEVIATION = [58.395, 57.12, 57.375]
AHEAD = 2


# ---- TFRecords and tf.train.Example, as far as needed ----


def index(file):
  """Where each record of a file lies: offset and length."""
  places = []
  with open(file, "rb") as f:
    at, end = 0, os.fstat(f.fileno()).st_size
    while at < end:
      f.seek(at)
      length = struct.unpack("<Q", f.read(8))[0]
      places.append((at + 12, length))
      at += length + 16
  return places


def varint(data, at):
  value = shift = 0
  while True:
    byte = data[at]
    at += 1
    value |= (byte & 127) << shift
    if byte < 128:
      return value, at
    shift += 7


def fields(data, at, end):
  """Number, start and end of every field of a message, all of which have a length or are numbers."""
  while at < end:
    key, at = varint(data, at)
    if key & 7 == 2:
      length, at = varint(data, at)
      yield key >> 3, at, at + length
      at += length
    else:
      start = at
      _, at = varint(data, at)
      yield key >> 3, start, at


def parse(data):
  """The image's place in an example, and the label."""
  image = label = None
  for _, start, end in fields(data, 0, len(data)):
    for _, a, b in fields(data, start, end):
      name = value = None
      for number, c, d in fields(data, a, b):
        if number == 1:
          name = bytes(data[c:d])
        else:
          value = (c, d)
      for kind, c, d in fields(data, *value):
        for _, e, f in fields(data, c, d):
          if name == b"image" and kind == 1:
            image = (e, f)
          elif name == b"label" and kind == 3:
            label = data[e] if f - e == 1 else varint(data, e)[0]
  return image, label


# ---- the loader ----


class Records(torch.utils.data.Dataset):

  def __init__(self, folder, mode, half):
    names = sorted(n for n in os.listdir(folder) if n.endswith(".tfrecord"))
    self.files = [os.path.join(folder, n) for n in names]
    self.places = [(f, at, n) for f, file in enumerate(self.files) for at, n in index(file)]
    self.mode = mode
    self.type = torch.float16 if half else torch.float32
    self.open = {}

  def __len__(self):
    return len(self.places)

  def __getitem__(self, number):
    file, at, length = self.places[number]
    if file not in self.open:
      self.open[file] = os.open(self.files[file], os.O_RDONLY)
    data = bytearray(os.pread(self.open[file], length, at))
    (start, end), label = parse(data)
    jpeg = torch.frombuffer(data, dtype=torch.uint8, offset=start, count=end - start)
    image = decode_jpeg(jpeg, mode=ImageReadMode.RGB)
    if self.mode == "bytes":
      return functional.resize(image, [224, 224], antialias=False), label
    image = functional.resize(image.float(), [224, 224], antialias=False)
    return functional.normalize(image, MEAN, DEVIATION).to(self.type), label


class ForEver(torch.utils.data.Sampler):

  def __init__(self, count):
    self.count = count

  def __iter__(self):
    while True:
      yield from range(self.count)


class OnDevice:
  """What a training loop does with each batch before it trains."""

  def __init__(self, mode, half):
    self.mode = mode
    self.type = torch.float16 if half else torch.float32
    self.mean = torch.tensor(MEAN, device="cuda").view(1, 3, 1, 1)
    self.deviation = torch.tensor(DEVIATION, device="cuda").view(1, 3, 1, 1)

  def __call__(self, batch):
    image = batch[0].to("cuda", non_blocking=True)
    label = batch[1].to("cuda", non_blocking=True)
    if self.mode == "bytes":
      image = ((image.float() - self.mean) / self.deviation).to(self.type)
    return image, label


def main():
  if not torch.cuda.is_available():
    answer(error="PyTorch %s sees no GPU" % torch.__version__)
    return
  torch.set_num_threads(1)
  torch.zeros(1, device="cuda")
  answer(version="%s, torchvision %s" % (torch.__version__, torchvision.__version__))
  loaders = {}
  for line in sys.stdin:
    request = json.loads(line)
    try:
      batch, workers = int(request["batch"]), int(request["workers"])
      mode, half = request["mode"], bool(request["half"])
      key = (request["path"], batch, workers, mode, half)
      if key not in loaders:
        for other in list(loaders):
          del loaders[other]  # one at a time: its workers would take turns with ours
        records = Records(request["path"], mode, half)
        loader = torch.utils.data.DataLoader(
            records, batch_size=batch, sampler=ForEver(len(records)), num_workers=workers,
            pin_memory=True, drop_last=True, prefetch_factor=AHEAD if workers else None)
        loaders[key] = (iter(loader), OnDevice(mode, half))
      iterator, on_device = loaders[key]
      # What was read ahead while nobody asked is not to be counted.
      for _ in range(AHEAD * workers + 8):
        on_device(next(iterator))
      torch.cuda.synchronize()
      start = time.perf_counter_ns()
      count = int(request["batches"])
      for _ in range(count):
        on_device(next(iterator))
      torch.cuda.synchronize()
      wall = time.perf_counter_ns() - start
      # Until the workers have nothing to do any more, so that they disturb nobody else.
      time.sleep(1.25 * wall / 1e9 / count * AHEAD * workers)
      answer(wallNs=wall)
    except Exception as e:  # told to the other side, which decides
      answer(error="%s: %s" % (type(e).__name__, e))


if __name__ == "__main__":
  try:
    main()
  except (KeyboardInterrupt, BrokenPipeError):
    pass
