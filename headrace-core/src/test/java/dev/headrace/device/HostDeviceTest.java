package dev.headrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.testing.DeviceContract;
import dev.headrace.testing.NoLeftovers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class HostDeviceTest {
  private static final Duration FOR_EVER = Duration.ofDays(1);

  @Test
  void keepsTheContract() {
    DeviceContract.of(Device::host).check();
    DeviceContract.of(() -> HostDevice.simulated().open()).check();
    DeviceContract.of(() -> HostDevice.simulated().pinned(false).open()).check();
    HostDevice.Simulation likeReal =
        HostDevice.simulated().pinning(HostDevice.Pinning.ALLOCATED).consumedOnStream();
    DeviceContract.of(likeReal::open).check();
    try (HostDevice pins = likeReal.open()) {
      DeviceContract.of(likeReal::open).hostMemory(pins::allocatePinned).check();
    }
    DeviceContract.of(
            () ->
                HostDevice.simulated()
                    .bytesPerSecond(4_000_000_000L)
                    .latency(Duration.ofNanos(20_000))
                    .open())
        .check();
  }

  @Test
  void pinnedCopiesDoNotHoldUpTheCaller() {
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().latency(FOR_EVER).open();
        DeviceStream stream = device.openStream("test")) {
      MemorySegment there = device.allocate(arena, 1000);
      MemorySegment here = arena.allocate(1000);
      assertThat(device.isPinned(here)).isTrue();
      stream.copyToDevice(here, there);
      stream.copyToHost(there, here);
      DeviceEvent done = stream.record();
      assertThat(done.isDone()).isFalse();
      stream.close();
      assertThat(done.isDone()).isTrue();
      assertThatThrownBy(() -> done.await(0))
          .isInstanceOf(DeviceException.class)
          .hasMessage("device simulated: expected a stream that is open, but it was closed");
    }
  }

  @Test
  void otherCopiesHoldUpTheCallerUntilTheyAreThere() throws Exception {
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().pinned(false).latency(FOR_EVER).open();
        DeviceStream stream = device.openStream("test")) {
      MemorySegment there = device.allocate(arena, 1000);
      MemorySegment here = arena.allocate(1000);
      assertThat(device.isPinned(here)).isFalse();
      CompletableFuture<Throwable> outcome = new CompletableFuture<>();
      Thread caller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      stream.copyToDevice(here, there);
                      outcome.complete(new AssertionError("it did not wait"));
                    } catch (DeviceException e) {
                      outcome.complete(e);
                    }
                  });
      awaitWaiting(caller);
      caller.interrupt(); // does not end it
      assertThat(outcome).isNotDone();
      stream.close(); // does
      assertThat(outcome.get()).isInstanceOf(DeviceException.class);
      caller.join();
    }
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING
        && thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  @Test
  void stagedCopiesMayBeOverwrittenAtOnce() {
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().pinned(false).open();
        DeviceStream stream = device.openStream("test")) {
      MemorySegment there = device.allocate(arena, 8);
      MemorySegment here = arena.allocate(8);
      here.set(ValueLayout.JAVA_LONG, 0, 17);
      stream.copyToDevice(here, there);
      here.set(ValueLayout.JAVA_LONG, 0, 0);
      stream.copyToHost(there, here);
      assertThat(here.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(17);
    }
  }

  @Test
  void theBusTakesItsTimeForBytesAndForEachCopy() throws Exception {
    try (Arena arena = Arena.ofShared();
        HostDevice device =
            HostDevice.simulated()
                .bytesPerSecond(1_000_000_000)
                .latency(Duration.ofMillis(1))
                .open();
        DeviceStream stream = device.openStream("test")) {
      MemorySegment there = device.allocate(arena, 1_000_000);
      MemorySegment here = arena.allocate(1_000_000);
      DeviceEvent start = stream.record();
      stream.copyToDevice(here, there);
      stream.copyToDevice(here, there);
      DeviceEvent end = stream.record();
      assertThat(end.await(TimeUnit.MINUTES.toNanos(1))).isTrue();
      assertThat(end.nanosSince(start)).isGreaterThanOrEqualTo(4_000_000); // as computed
    }
  }

  @Test
  void streamsShareTheBus() throws Exception {
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().latency(Duration.ofMillis(5)).open();
        DeviceStream one = device.openStream("one");
        DeviceStream other = device.openStream("other")) {
      MemorySegment there = device.allocate(arena, 8);
      MemorySegment here = arena.allocate(8);
      DeviceEvent start = one.record();
      DeviceEvent otherStart = other.record();
      one.copyToDevice(here, there);
      other.copyToHost(there, arena.allocate(8));
      DeviceEvent end = one.record();
      DeviceEvent otherEnd = other.record();
      assertThat(end.await(TimeUnit.MINUTES.toNanos(1))).isTrue();
      assertThat(otherEnd.await(TimeUnit.MINUTES.toNanos(1))).isTrue();
      long last =
          Math.max(end.nanosSince(start), otherEnd.nanosSince(start)); // one waited for the other
      assertThat(last).isGreaterThanOrEqualTo(10_000_000);
      assertThat(otherEnd.nanosSince(otherStart)).isGreaterThanOrEqualTo(5_000_000);
    }
  }

  @Test
  void aStreamThatWaitsForAnotherCanBeClosed() {
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().latency(FOR_EVER).open();
        DeviceStream slow = device.openStream("slow");
        DeviceStream waits = device.openStream("waits")) {
      slow.copyToDevice(arena.allocate(8), device.allocate(arena, 8));
      waits.waitFor(slow.record());
      DeviceEvent never = waits.record();
      assertThat(never.isDone()).isFalse();
      waits.close();
      assertThat(never.isDone()).isTrue();
    }
  }

  @Test
  void aCopyThatFailsFailsTheEventsAfterIt() {
    try (HostDevice device = HostDevice.simulated().open();
        DeviceStream stream = device.openStream("test")) {
      MemorySegment gone;
      try (Arena arena = Arena.ofShared()) {
        gone = arena.allocate(8);
      }
      try (Arena arena = Arena.ofShared()) {
        stream.copyToDevice(gone, device.allocate(arena, 8));
        assertThatThrownBy(() -> stream.record().await(TimeUnit.MINUTES.toNanos(1)))
            .isInstanceOf(DeviceException.class)
            .hasMessageStartingWith("device simulated: a copy failed: ");
      }
    }
  }

  @Test
  void memoryBeyondTheLimitIsRefusedWithNameAndSizes() {
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().named("small").memoryBytes(1500).open()) {
      MemorySegment _ = device.allocate(arena, 1000);
      assertThat(device.usedBytes()).isEqualTo(1000);
      assertThatThrownBy(() -> device.allocate(arena, 501))
          .isInstanceOf(DeviceMemoryException.class)
          .hasMessage(
              "device small: expected room for 501 bytes, but 1,000 of 1,500 are in use; use"
                  + " smaller batches or a smaller buffer");
    }
  }

  @Test
  void closingADeviceClosesItsStreams() {
    try (Arena arena = Arena.ofShared()) {
      HostDevice device = HostDevice.simulated().latency(FOR_EVER).open();
      DeviceStream stream = device.openStream("test");
      stream.copyToDevice(arena.allocate(8), device.allocate(arena, 8));
      device.close();
      assertThatThrownBy(stream::record)
          .hasMessage("device simulated: expected a stream that is open, but it was closed");
      assertThatThrownBy(() -> device.openStream("test"))
          .hasMessage("device simulated: expected it to be open, but it was closed");
    }
  }

  @Test
  void theHostNeedNotBeClosed() {
    Device.host().close();
    try (Arena arena = Arena.ofShared()) {
      assertThat(Device.host().allocate(arena, 64).byteSize()).isEqualTo(64);
    }
    assertThat(Device.host()).hasToString("host");
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> HostDevice.simulated().bytesPerSecond(0))
        .hasMessage("simulated device: expected a bus of at least 1 byte per second, but got 0");
    assertThatThrownBy(() -> HostDevice.simulated().latency(Duration.ofNanos(-1)))
        .hasMessage("simulated device: expected a latency of 0 or more, but got PT-0.000000001S");
    assertThatThrownBy(() -> HostDevice.simulated().memoryBytes(0))
        .hasMessage("simulated device: expected at least 1 byte of memory, but got 0");
    try (Arena arena = Arena.ofShared();
        HostDevice device = HostDevice.simulated().open();
        DeviceStream stream = device.openStream("test")) {
      assertThatThrownBy(() -> stream.copyToDevice(arena.allocate(8), device.allocate(arena, 16)))
          .hasMessage(
              "device copy: expected memory of one size, but got 8 bytes to be copied to 16");
    }
  }
}
