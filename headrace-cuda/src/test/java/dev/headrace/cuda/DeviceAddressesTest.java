package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.DType;
import dev.headrace.data.Place;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeviceAddressesTest {
  /** Nothing is there. */
  private static final long ADDRESS = 0x7f00_dead_b000L;

  @Test
  void everyTouchThrows() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = DeviceAddresses.at(ADDRESS, 1000, arena.allocate(1));
      assertThat(memory.address()).isEqualTo(ADDRESS);
      assertThat(memory.byteSize()).isEqualTo(1000);
      MemorySegment part = memory.asSlice(10, 20);
      assertThat(part.address()).isEqualTo(ADDRESS + 10);
      MemorySegment host = arena.allocate(20);
      assertThatThrownBy(() -> part.get(JAVA_BYTE, 0)).isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(() -> part.set(JAVA_BYTE, 0, (byte) 1))
          .isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(() -> part.fill((byte) 1)).isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(() -> host.copyFrom(part)).isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(() -> part.copyFrom(host)).isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(() -> part.mismatch(host)).isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(() -> part.asByteBuffer().get()).isInstanceOf(WrongThreadException.class);
    }
  }

  @Test
  void tensorsKnowWhereTheyAre() {
    Place nowhere =
        new Place() {
          @Override
          public int number() {
            return 0;
          }

          @Override
          public String name() {
            return "nowhere";
          }

          @Override
          public void copyToHost(MemorySegment from, MemorySegment to) {
            to.fill((byte) (from.address() - ADDRESS));
          }
        };
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = DeviceAddresses.at(ADDRESS, 6, arena.allocate(1));
      Tensor tensor = Tensor.wrap(DType.UINT8, Shape.of(2, 3), memory, nowhere);
      assertThatThrownBy(() -> tensor.intAt(0)).isInstanceOf(IllegalStateException.class);
      assertThat(tensor.slice(1).toHost().toByteArray()).containsExactly(3, 3, 3);
    }
  }

  @Test
  @SuppressWarnings("restricted") // to learn when the arena is done
  void memoryOfTheCollectorsStaysWhileTheSegmentIsReachable() throws InterruptedException {
    AtomicBoolean freed = new AtomicBoolean();
    MemorySegment memory =
        DeviceAddresses.at(
            ADDRESS,
            8,
            MemorySegment.ofAddress(ADDRESS).reinterpret(Arena.ofAuto(), _ -> freed.set(true)));
    MemorySegment part = memory.asSlice(2, 2);
    memory = null;
    for (int i = 0; i < 5; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(freed).isFalse();
    Reference.reachabilityFence(part);
    part = null;
    while (!freed.get()) { // the timeout is the failure
      System.gc();
      Thread.sleep(10);
    }
  }
}
