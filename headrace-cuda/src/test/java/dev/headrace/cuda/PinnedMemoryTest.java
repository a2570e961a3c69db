package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class PinnedMemoryTest {

  @Test
  void memoryIsPinnedWhileItIsListed() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1000, 64);
      MemorySegment range = memory.asSlice(100, 800);
      assertThat(PinnedMemory.contains(range)).isFalse();
      PinnedMemory.add(range.address(), range.byteSize());
      try {
        assertThat(PinnedMemory.contains(range)).isTrue();
        assertThat(PinnedMemory.contains(range.asSlice(0, 1))).isTrue();
        assertThat(PinnedMemory.contains(range.asSlice(799, 1))).isTrue();
        assertThat(PinnedMemory.contains(memory.asSlice(99, 10))).as("begins before").isFalse();
        assertThat(PinnedMemory.contains(memory.asSlice(899, 2))).as("ends behind").isFalse();
        assertThat(PinnedMemory.contains(memory.asSlice(900, 1))).as("behind").isFalse();
        assertThat(PinnedMemory.contains(MemorySegment.ofArray(new byte[8]))).isFalse();
      } finally {
        PinnedMemory.remove(range.address());
      }
      assertThat(PinnedMemory.contains(range)).isFalse();
    }
  }
}
