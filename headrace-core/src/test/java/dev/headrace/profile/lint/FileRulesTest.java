package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.found;
import static dev.headrace.profile.lint.LintCases.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files: where a rule speaks, and where something like it is harmless. */
final class FileRulesTest {
  @TempDir Path folder;

  @Test
  void fewerFilesThanThreads() throws IOException {
    write(folder, "part-%d.txt", 3, 1);
    Dataset<Path> files = Dataset.listFiles(folder + "/part-*.txt");

    assertThat(found(files.interleave(f -> Dataset.textLines(f), 8, 1, 8)))
        .containsExactly("NOTE fewer-files-than-threads at interleave");

    assertThat(
            found(
                files
                    .shuffle(9, SEED)
                    .filter(f -> true)
                    .map(f -> f)
                    .interleave(f -> Dataset.textLines(f), 8, 1, 8)))
        .containsExactly("NOTE fewer-files-than-threads at interleave");

    assertThat(found(files.repeat().interleave(f -> Dataset.textLines(f), 8, 1, 8))).isEmpty();
    assertThat(found(files.interleave(f -> Dataset.textLines(f), 8, 1, 3))).isEmpty();
    assertThat(found(files.interleave(f -> Dataset.textLines(f), 8, 1, AUTOTUNE))).isEmpty();
  }

  @Test
  void manySmallFiles() throws IOException {
    write(folder, "image-%d.jpg", 2_000, 10);
    Dataset<Path> files = Dataset.listFiles(folder + "/image-*.jpg");

    assertThat(found(files.map(Files::readAllBytes, AUTOTUNE)))
        .containsExactly("NOTE many-small-files at map");

    assertThat(found(files.repeat().map(Files::readAllBytes, AUTOTUNE)))
        .containsExactly("NOTE many-small-files at map");
    assertThat(found(files.shuffle(9, SEED).repeat(3).prefetch(2).map(Files::readAllBytes, 4)))
        .containsExactly("NOTE many-small-files at map");

    assertThat(found(files.take(100).repeat().map(Files::readAllBytes, 4))).isEmpty();
    assertThat(found(files.filter(f -> true).map(Files::readAllBytes, 4))).isEmpty();
    assertThat(found(files.map(Files::readAllBytes, AUTOTUNE).cache())).isEmpty();
    assertThat(found(Dataset.listFiles(folder + "/image-1*.jpg").map(Files::readAllBytes, 4)))
        .isEmpty();
  }
}
