package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SpillFileTest {
  @TempDir Path folder;

  private final Account disk = new Account("spill", 64 << 20);
  private final Account heap = new Account("heap", 64 << 20);

  private SpillFile open() throws IOException {
    return new SpillFile(folder, disk, heap);
  }

  private static byte[] record(int number, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) number);
    return bytes;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  @Test
  void everySizeHoldsItsRecordsAndWastesLittle() {
    for (long bytes = 1; bytes < 1L << 31; bytes += 1 + bytes / 7) {
      long place = SpillFile.bytesOf(SpillFile.sizeFor(bytes));
      assertThat(place).isBetween(bytes, Math.max(bytes + 63, bytes + bytes / 4));
    }
    assertThat(SpillFile.sizeFor(Integer.MAX_VALUE + 4L)).isLessThan(128);
  }

  @Test
  void recordsComeBackInAnyOrderWhateverWasFreedBefore() throws IOException {
    Random random = new Random(5);
    Map<Long, byte[]> live = new HashMap<>();
    try (SpillFile file = open()) {
      for (int i = 0; i < 5_000; i++) {
        if (live.size() > 50 && random.nextBoolean()) {
          long address = live.keySet().iterator().next();
          assertThat(bytes(file.get(address))).isEqualTo(live.remove(address));
          file.free(address);
        } else {
          byte[] record = record(i, random.nextInt(random.nextInt(20) == 0 ? 200_000 : 900));
          assertThat(live.put(file.put(record, record.length), record)).isNull();
        }
      }
      for (var each : live.entrySet()) {
        assertThat(bytes(file.get(each.getKey()))).isEqualTo(each.getValue());
      }
    }
    assertThat(disk.usedBytes()).isZero();
    assertThat(heap.usedBytes()).isZero();
    assertThat(left()).isEmpty();
  }

  @Test
  void aHolderThatExchangesRecordsForLongNeedsNoMoreDiskThanItHolds() throws IOException {
    Random random = new Random(7);
    int held = 500;
    long[] addresses = new long[held];
    try (SpillFile file = open()) {
      for (int i = 0; i < held; i++) {
        addresses[i] = file.put(record(i, 1_000), 500 + random.nextInt(500));
      }
      for (int i = 0; i < 50_000; i++) {
        int at = random.nextInt(held);
        file.free(addresses[at]);
        addresses[at] = file.put(record(i, 1_000), 500 + random.nextInt(500));
      }
      assertThat(file.liveBytes()).isLessThan(held * 1_100L);
      assertThat(Files.size(file.path())).isLessThan(2 * held * 1_000L);
      assertThat(file.bytes()).isEqualTo(disk.usedBytes());
    }
  }

  @Test
  void aFileWithoutRecordsTakesNoDisk() throws IOException {
    try (SpillFile file = open()) {
      long first = file.put(record(1, 10_000), 10_000);
      long second = file.put(record(2, 10_000), 10_000);
      file.free(first);
      assertThat(Files.size(file.path())).isPositive();
      file.free(second);
      assertThat(Files.size(file.path())).isZero();
      assertThat(disk.usedBytes()).isZero();
      assertThat(bytes(file.get(file.put(record(3, 7), 7)))).isEqualTo(record(3, 7));
    }
  }

  @Test
  void anInterruptedThreadLosesNothing() throws IOException {
    try (SpillFile file = open()) {
      long before = file.put(record(1, 100), 100);
      Thread.currentThread().interrupt();
      long after = file.put(record(2, 100), 100);
      assertThat(bytes(file.get(before))).isEqualTo(record(1, 100));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(bytes(file.get(after))).isEqualTo(record(2, 100));
    }
  }

  @Test
  void aBudgetThatIsUsedUpIsToldAndLeavesTheRestReadable() throws IOException {
    Account small = new Account("spill", 10_000);
    try (SpillFile file = new SpillFile(folder, small, heap)) {
      long kept = file.put(record(1, 6_000), 6_000);
      assertThatThrownBy(() -> file.put(record(2, 6_000), 6_000))
          .isInstanceOf(IOException.class)
          .hasMessage("the spill budget is used up (0 MB of 0 MB): raise options.spillBudget");
      assertThat(bytes(file.get(kept))).isEqualTo(record(1, 6_000));
      long other = file.put(record(3, 100), 100);
      assertThat(bytes(file.get(other))).isEqualTo(record(3, 100));
    }
    assertThat(small.usedBytes()).isZero();
  }

  @Test
  void onlyItsOwnerMayLookIntoTheFolder() throws IOException {
    try (SpillFile file = open()) {
      Path own = file.path().getParent();
      assertThat(own.getParent()).isEqualTo(folder.toRealPath());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void filesOfOneProcessShareAFolderThatGoesWithTheLastOfThem() throws IOException {
    SpillFile first = open();
    SpillFile second = open();
    assertThat(first.path()).isNotEqualTo(second.path());
    assertThat(first.path().getParent()).isEqualTo(second.path().getParent());
    first.close();
    assertThat(first.path()).doesNotExist();
    assertThat(second.path()).exists();
    first.close();
    second.close();
    assertThat(left()).isEmpty();
    assertThatThrownBy(() -> second.get(0)).hasMessageContaining("it was closed and deleted");
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws IOException {
    Path occupied = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> new SpillFile(occupied, disk, heap))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(occupied.toString());
    assertThat(disk.usedBytes()).isZero();
  }
}
