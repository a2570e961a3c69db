package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Account;
import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.junit.jupiter.api.Test;

class DlPackTest {
  private static final long HEADER_BYTES = 64;

  @SuppressWarnings("restricted") // as another library would read it
  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Calls the deleter as another library would. */
  @SuppressWarnings("restricted")
  private static void delete(long address) {
    MemorySegment deleter = MemorySegment.ofAddress(at(address, HEADER_BYTES).get(JAVA_LONG, 56));
    MethodHandle call =
        Linker.nativeLinker().downcallHandle(deleter, FunctionDescriptor.ofVoid(JAVA_LONG));
    try {
      call.invokeExact(address);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void describesTheTensor() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(24 * 4, 64);
      Tensor tensor = Tensor.wrap(DType.FLOAT32, Shape.of(2, 3, 4), memory);
      try (DlPack lent = DlPack.of(tensor)) {
        MemorySegment managed = at(lent.address(), HEADER_BYTES);
        assertThat(managed.get(JAVA_LONG, 0)).as("data").isEqualTo(memory.address());
        assertThat(managed.get(JAVA_INT, 8)).as("device: CPU").isEqualTo(1);
        assertThat(managed.get(JAVA_INT, 12)).as("device's number").isZero();
        assertThat(managed.get(JAVA_INT, 16)).as("rank").isEqualTo(3);
        assertThat(managed.get(JAVA_BYTE, 20)).as("code: float").isEqualTo((byte) 2);
        assertThat(managed.get(JAVA_BYTE, 21)).as("bits").isEqualTo((byte) 32);
        assertThat(managed.get(JAVA_SHORT, 22)).as("lanes").isEqualTo((short) 1);
        assertThat(at(managed.get(JAVA_LONG, 24), 24).toArray(JAVA_LONG))
            .as("shape")
            .containsExactly(2, 3, 4);
        assertThat(at(managed.get(JAVA_LONG, 32), 24).toArray(JAVA_LONG))
            .as("strides")
            .containsExactly(12, 4, 1);
        assertThat(managed.get(JAVA_LONG, 40)).as("byte offset").isZero();
        assertThat(managed.get(JAVA_LONG, 56)).as("deleter").isNotZero();
      }
    }
  }

  @Test
  void typesHaveTheirCodes() {
    record Expected(DType dtype, int code, int bits) {}

    for (Expected expected :
        List.of(
            new Expected(DType.BOOL, 6, 8),
            new Expected(DType.UINT8, 1, 8),
            new Expected(DType.INT64, 0, 64),
            new Expected(DType.FLOAT16, 2, 16),
            new Expected(DType.BFLOAT16, 4, 16),
            new Expected(DType.FLOAT64, 2, 64))) {
      try (Arena arena = Arena.ofConfined()) {
        Tensor tensor =
            Tensor.wrap(
                expected.dtype, Shape.of(2), arena.allocate(2L * expected.dtype.byteSize(), 8));
        try (DlPack lent = DlPack.of(tensor)) {
          MemorySegment managed = at(lent.address(), HEADER_BYTES);
          assertThat(managed.get(JAVA_BYTE, 20)).isEqualTo((byte) expected.code);
          assertThat(managed.get(JAVA_BYTE, 21)).isEqualTo((byte) expected.bits);
        }
      }
    }
  }

  @Test
  void pinnedMemoryIsSaidToBePinned() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8, 8);
      PinnedMemory.add(memory.address(), 8);
      try (DlPack lent = DlPack.of(Tensor.wrap(DType.UINT8, Shape.of(8), memory))) {
        assertThat(at(lent.address(), HEADER_BYTES).get(JAVA_INT, 8)).isEqualTo(3);
      } finally {
        PinnedMemory.remove(memory.address());
      }
    }
  }

  @Test
  void aBatchIsHeldBackUntilTheDeleterWasCalled() {
    Account account = new Account("test", 1 << 20);
    try (SlabPool pool = new SlabPool(account)) {
      Lease lease = pool.lease(64, "test");
      DlPack lent = DlPack.of(lease.tensor(DType.UINT8, Shape.of(64), 0));
      long address = lease.memory().address();
      assertThat(lease.giveBack("next() was called")).isTrue();
      Lease other = pool.lease(64, "test");
      assertThat(other.memory().address()).as("not the memory that is lent").isNotEqualTo(address);
      assertThat(lent.isReturned()).isFalse();

      delete(lent.address());

      assertThat(lent.isReturned()).isTrue();
      Lease again = pool.lease(64, "test");
      assertThat(again.memory().address()).as("the memory that came back").isEqualTo(address);
      lent.close(); // given back once is enough
      Lease third = pool.lease(64, "test");
      assertThat(third.memory().address()).isNotEqualTo(address);
      List.of(other, again, third).forEach(Lease::close);
    }
  }

  @Test
  void whatOthersCannotSeeIsRefused() {
    assertThatThrownBy(() -> DlPack.of(Tensor.of(1f, 2f)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a tensor in native memory, but got")
        .hasMessageContaining("on the heap");
    assertThatThrownBy(() -> DlPack.of(Tensor.ofStrings("a")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a tensor of numbers");
    assertThatThrownBy(() -> DlPack.of(Tensor.of(1f, 2f).scale(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a tensor that is computed");
  }
}
