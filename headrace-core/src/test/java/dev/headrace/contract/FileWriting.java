package dev.headrace.contract;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.ModelState;
import dev.headrace.Pipeline;
import dev.headrace.Training;
import dev.headrace.Tuning;
import dev.headrace.data.Compression;
import dev.headrace.data.PartialFile;
import dev.headrace.spi.Scanned;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Each way in which the engine writes a file, of about as many kilobytes as asked for. */
enum FileWriting {
  CACHE {
    @Override
    void write(Path file, int kilobytes) {
      Dataset.range(kilobytes).map(x -> new byte[1024]).cache(file).count();
    }
  },
  SNAPSHOT_PACKED {
    @Override
    void write(Path file, int kilobytes) {
      Dataset.range(kilobytes).map(FileWriting::noise).cache(file, Compression.GZIP).count();
    }
  },
  SAVE {
    @Override
    void write(Path file, int kilobytes) throws IOException {
      Dataset.range(kilobytes).map(x -> new byte[1024]).save(file);
    }
  },
  TFRECORDS {
    @Override
    void write(Path file, int kilobytes) throws IOException {
      Dataset.range(kilobytes).map(x -> new byte[1024]).writeTfRecords(file);
    }
  },
  TFRECORDS_PACKED {
    @Override
    void write(Path file, int kilobytes) throws IOException {
      Dataset.range(kilobytes).map(FileWriting::noise).writeTfRecords(file, 1, Compression.GZIP);
    }
  },
  CHECKPOINT {
    @Override
    void write(Path file, int kilobytes) throws IOException {
      checkpoint(kilobytes).save(file);
    }
  },
  TUNING {
    @Override
    void write(Path file, int kilobytes) throws IOException {
      Tuning.parse("headrace tuning 1\nplan " + "p".repeat(kilobytes << 10) + "\n").save(file);
    }
  },
  TRAINING {
    @Override
    void write(Path file, int kilobytes) {
      Training.fit(
          batch -> {},
          Dataset.range(2),
          Training.epochs(1).checkpointEachEpoch(file).state(new BigModel(kilobytes)));
    }
  },
  WHOLE {
    @Override
    void write(Path file, int kilobytes) throws IOException {
      PartialFile.write(file, new byte[kilobytes << 10]);
    }
  };

  abstract void write(Path file, int kilobytes) throws IOException;

  private static byte[] noise(long seed) {
    byte[] bytes = new byte[1024];
    new java.util.SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private static Checkpoint checkpoint(int kilobytes) {
    String name = "n".repeat(kilobytes << 10);
    try (Pipeline<Long> pipeline =
        Dataset.range(2).scan(name, (s, x) -> new Scanned<>(s, x)).open()) {
      pipeline.iterator().next();
      return pipeline.checkpoint();
    }
  }

  private record BigModel(int kilobytes) implements ModelState {
    @Override
    public void save(OutputStream out) throws IOException {
      for (int i = 0; i < kilobytes; i++) {
        out.write(new byte[1024]);
      }
    }

    @Override
    public void load(InputStream in) {}
  }

  /** Tries each one where it cannot succeed, and says what it was told and what is left. */
  static final class OnAFullDisk {
    private OnAFullDisk() {}

    public static void main(String[] arguments) throws IOException {
      Path folder = Path.of(arguments[0]);
      for (FileWriting writing : values()) {
        String said = "nothing";
        try {
          writing.write(folder.resolve("x"), 4000);
        } catch (IOException | RuntimeException e) {
          said = e.toString();
        }
        try (Stream<Path> left = Files.list(folder)) {
          System.out.println(
              writing
                  + ": "
                  + said.replace('\n', ' ')
                  + " left: "
                  + Arrays.toString(left.toArray()));
        }
      }
    }
  }
}
