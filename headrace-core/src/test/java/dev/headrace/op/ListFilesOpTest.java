package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.listFiles;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Csv;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ListFilesOpTest {
  @TempDir Path folder;

  @BeforeEach
  void writeFiles() throws IOException {
    for (String name :
        List.of(
            "b.txt",
            "a.txt",
            "c.jpg",
            "10.txt",
            "cats/1.txt",
            "cats/2.txt",
            "dogs/1.txt",
            "dogs/deep/3.txt")) {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "content of " + name);
    }
  }

  private List<String> matching(String pattern) {
    return listFiles(folder + "/" + pattern).map(this::relative).toList();
  }

  private String relative(Path file) {
    return folder.relativize(file).toString().replace('\\', '/');
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> listFiles(folder + "/**.txt").map(Files::readString, n)).check();
    PipelineContract.of(n -> listFiles(folder + "/**.txt", Seed.of(3)).map(Files::size, n)).check();
  }

  @Test
  void filesAreSortedByPath() {
    assertThat(matching("*.txt")).containsExactly("10.txt", "a.txt", "b.txt");
    assertThat(matching("*/*.txt")).containsExactly("cats/1.txt", "cats/2.txt", "dogs/1.txt");
    assertThat(listFiles(folder + "/*.txt").cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void aPatternReachesAsDeepAsItSays() {
    assertThat(matching("*")).containsExactly("10.txt", "a.txt", "b.txt", "c.jpg");
    assertThat(matching("dogs/*")).containsExactly("dogs/1.txt");
    assertThat(matching("dogs/**")).containsExactly("dogs/1.txt", "dogs/deep/3.txt");
    assertThat(matching("**/3.txt")).containsExactly("dogs/deep/3.txt");
    assertThat(matching("{cats,dogs}/1.txt")).containsExactly("cats/1.txt", "dogs/1.txt");
    assertThat(matching("[ab].txt")).containsExactly("a.txt", "b.txt");
    assertThat(matching("?.jpg")).containsExactly("c.jpg");
    assertThat(matching("a.txt")).containsExactly("a.txt");
  }

  @Test
  void foldersOfAnyDepthIncludeTheTopFolder() {
    assertThat(matching("**/*.txt"))
        .containsExactly(
            "10.txt",
            "a.txt",
            "b.txt",
            "cats/1.txt",
            "cats/2.txt",
            "dogs/1.txt",
            "dogs/deep/3.txt");
    assertThat(matching("dogs/**/*.txt")).containsExactly("dogs/1.txt", "dogs/deep/3.txt");
    assertThat(matching("**/deep/**/3.txt")).containsExactly("dogs/deep/3.txt");
    assertThat(matching("**/b.txt")).containsExactly("b.txt");
  }

  @Test
  void bracketsMayBePartOfAName() throws IOException {
    Path odd = Files.createDirectories(folder.resolve("set [x] {y}").resolve("open["));
    for (String name : List.of("a[1].csv", "b{2}.csv", "c.csv", "[d.csv")) {
      Files.writeString(odd.resolve(name), name + "\n");
      assertThat(matching("set [x] {y}/open[/" + name))
          .containsExactly("set [x] {y}/open[/" + name);
      assertThat(Dataset.textLines(odd.resolve(name).toString()).toList()).containsExactly(name);
    }
    assertThat(matching("set [x] {y}/open[/*.csv")).hasSize(4);
    assertThat(matching("set [x] {y}/**/?.csv")).containsExactly("set [x] {y}/open[/c.csv");
    // A pattern that matches comes before a file of exactly that name.
    Files.writeString(folder.resolve("[ab].txt"), "");
    assertThat(matching("[ab].txt")).containsExactly("a.txt", "b.txt");
    Files.delete(folder.resolve("a.txt"));
    Files.delete(folder.resolve("b.txt"));
    assertThat(matching("[ab].txt")).containsExactly("[ab].txt");
  }

  @Test
  void aSeedShufflesThemAnewInEachEpoch() {
    Dataset<String> shuffled = listFiles(folder + "/**.txt", Seed.of(3)).map(this::relative);
    List<List<String>> epochs = Outcomes.ofEpochs(shuffled, 4);
    assertThat(epochs)
        .allSatisfy(
            epoch ->
                assertThat(epoch.subList(0, 7))
                    .containsExactlyInAnyOrder(
                        "a.txt",
                        "b.txt",
                        "10.txt",
                        "cats/1.txt",
                        "cats/2.txt",
                        "dogs/1.txt",
                        "dogs/deep/3.txt"));
    assertThat(new HashSet<>(epochs)).hasSizeGreaterThan(1);
    assertThat(Outcomes.ofEpochs(shuffled, 4)).isEqualTo(epochs);
  }

  @Test
  void aPatternThatMatchesNothingCannotGoOn() {
    try (Pipeline<Path> pipeline = listFiles(folder + "/*.png").prefetch(2).open()) {
      Iterator<Path> epoch = pipeline.iterator();
      for (int i = 0; i < 3; i++) {
        assertThat(epoch.hasNext()).isTrue();
        assertThatThrownBy(epoch::next)
            .isInstanceOfSatisfying(
                PipelineException.class, e -> assertThat(e.isTerminal()).isTrue())
            .hasCauseInstanceOf(NoSuchFileException.class)
            .hasMessageContaining("listFiles (ListFilesOpTest.java:")
            .hasMessageContaining(
                "of epoch 0 failed, and the pipeline cannot go on: "
                    + NoSuchFileException.class.getName()
                    + ": "
                    + folder
                    + "/*.png: listFiles: expected at least one file to match, but none does;"
                    + " looked in "
                    + folder.toAbsolutePath());
      }
      assertThatThrownBy(() -> pipeline.iterator().next()).isInstanceOf(PipelineException.class);
    }
  }

  @Test
  void aFolderThatIsMissingIsNamed() {
    assertThat(Outcomes.errors(listFiles(folder + "/none/*.txt")).getFirst())
        .hasMessageContaining(
            "looked in " + folder.resolve("none").toAbsolutePath() + ", which does not exist");
  }

  @Test
  void nothingIsListedBeforeThePipelineRuns() throws IOException {
    Dataset<Path> dataset = listFiles(folder + "/*.png");
    Files.writeString(folder.resolve("late.png"), "");
    assertThat(dataset.count()).isEqualTo(1);
  }

  @Test
  void allEpochsSeeTheFilesOfTheFirst() throws IOException {
    try (Pipeline<Path> pipeline = listFiles(folder + "/*.txt").open()) {
      List<String> first = Outcomes.of(pipeline.iterator());
      Files.writeString(folder.resolve("new.txt"), "");
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(first);
    }
  }

  @Test
  void aFileThatVanishesCostsItsElement() throws IOException {
    try (Pipeline<String> pipeline =
        listFiles(folder + "/*.txt").map(Files::readString).synchronous().open()) {
      Iterator<String> epoch = pipeline.iterator();
      assertThat(epoch.next()).isEqualTo("content of 10.txt");
      Files.delete(folder.resolve("a.txt"));
      assertThatThrownBy(epoch::next)
          .isInstanceOfSatisfying(
              PipelineException.class, e -> assertThat(e.isTerminal()).isFalse())
          .hasCauseInstanceOf(NoSuchFileException.class)
          .hasMessageContaining("map (ListFilesOpTest.java:")
          .hasMessageContaining("element 1 of epoch 0 failed")
          .hasMessageContaining(folder.resolve("a.txt").toString());
      assertThat(epoch.next()).isEqualTo("content of b.txt");
      assertThat(epoch.hasNext()).isFalse();
    }
  }

  @Test
  void aCheckpointRefusesFilesThatChanged() throws IOException {
    Dataset<Path> dataset = listFiles(folder + "/*.txt");
    Checkpoint checkpoint;
    try (Pipeline<Path> pipeline = dataset.open()) {
      pipeline.iterator().next();
      checkpoint = pipeline.checkpoint();
    }
    try (Pipeline<Path> unchanged = dataset.open(checkpoint)) {
      assertThat(unchanged.iterator().next()).isEqualTo(folder.resolve("a.txt"));
    }
    Files.writeString(folder.resolve("new.txt"), "");
    try (Pipeline<Path> resumed = dataset.open(checkpoint)) {
      assertThatThrownBy(() -> resumed.iterator().next())
          .hasMessageContaining("checkpoint: expected the files that listFiles (")
          .hasMessageContaining(
              "matched when it was taken, but files were added, removed or changed since (now 4);"
                  + " restore them, or start the epoch again");
    }
  }

  @Test
  void refusesAnEmptyPattern() {
    assertThatThrownBy(() -> listFiles(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("listFiles: expected a pattern such as images/*.jpg, but got an empty one");
    assertThatThrownBy(() -> listFiles(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("listFiles: expected a pattern, but got null");
  }

  @Test
  void aPatternThatCannotBeReadIsShown() {
    assertThat(Outcomes.errors(listFiles(folder + "/[ab.txt")).getFirst())
        .hasMessageContaining("/[ab.txt");
  }

  @Test
  void aListIsOnTheAccountOfItsPipelineAndFailsWithItsSize() throws IOException {
    Path many = Files.createDirectory(folder.resolve("many"));
    int count = 2000;
    long characters = 0;
    for (int i = 0; i < count; i++) {
      Path file = many.resolve("n".repeat(240) + i + ".csv");
      Files.createFile(file);
      characters += file.toString().length();
    }
    String pattern = many + "/*.csv";
    for (Dataset<?> files :
        List.of(
            listFiles(pattern),
            Dataset.textLines(pattern),
            Dataset.tfRecords(pattern),
            Dataset.csv(pattern, Csv.columns(Csv.string("a"))),
            Dataset.fixedLengthRecords(pattern, 4))) {
      try (Pipeline<?> pipeline = files.open()) {
        assertThat(pipeline.iterator().hasNext()).isIn(true, false);
        // The name as bytes of the path and as text, the objects, and what is reserved in advance.
        assertThat(pipeline.stats().memory().heapBytes())
            .isBetween(2 * characters + count * 100L, 2 * characters + count * 130L + (64 << 10));
      }
      assertThat(Outcomes.errors(files.options(o -> o.heapBudget(100_000))))
          .singleElement()
          .asString()
          .containsPattern(
              ": expected the list of its files to fit the memory budget, but after 1,\\d{3} files"
                  + " of 1,\\d{3},\\d{3} bytes the heap account is full")
          .contains("give a narrower pattern, or raise options.heapBudget");
    }
  }
}
