package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Account;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OverdraftTest {
  private final Account process = new Account("heap", 1000);
  private final Account part = new Account("stage", Long.MAX_VALUE, process);
  private final AtomicLong nowNs = new AtomicLong(1);
  private final Overdraft.Turns turns = new Overdraft.Turns(process, nowNs::get);
  private final Overdraft first = new Overdraft(turns);
  private final Overdraft second = new Overdraft(turns);

  @BeforeEach
  void bothConsumersWait() {
    first.consumerWaits(true);
    second.consumerWaits(true);
  }

  @Test
  void allMayPassByAHundredthOfTheLimit() {
    process.reserve(1000);
    assertThat(first.tryBuffer(part, 5)).isTrue();
    assertThat(second.tryBuffer(part, 5)).isTrue();
    assertThat(process.usedBytes()).isEqualTo(1010);
  }

  @Test
  void oneAtATimePassesByMore() {
    process.reserve(1000);
    assertThat(first.admits(500)).isTrue();
    assertThat(first.tryBuffer(part, 500)).isTrue();
    assertThat(first.tryBuffer(part, 500)).as("another stage of the same pipeline").isTrue();
    assertThat(second.admits(500)).isFalse();
    assertThat(second.tryBuffer(part, 500)).isFalse();
    assertThat(process.usedBytes()).isEqualTo(2000);
    second.consumerWaits(false); // it has no turn to end
    second.consumerWaits(true);
    assertThat(second.tryBuffer(part, 500)).isFalse();
    first.consumerWaits(false);
    assertThat(second.tryBuffer(part, 500)).isTrue();
    assertThat(first.tryBuffer(part, 500)).isFalse();
  }

  @Test
  void theNextOnePassesInTheEndEvenIfTheFirstNeverHasItsElement() {
    process.reserve(1000);
    assertThat(first.tryBuffer(part, 500)).isTrue();
    nowNs.addAndGet(Overdraft.Turns.PATIENCE_NS - 1);
    assertThat(second.tryBuffer(part, 500)).isFalse();
    nowNs.addAndGet(1);
    assertThat(second.admits(500)).isTrue();
    assertThat(second.tryBuffer(part, 500)).isTrue();
    assertThat(first.tryBuffer(part, 500)).isFalse();
  }

  @Test
  void onlyAPipelineWhoseConsumerWaitsHasATurn() {
    process.reserve(1000);
    first.consumerWaits(false);
    assertThat(first.admits(500)).isFalse();
    assertThat(first.tryBuffer(part, 500)).isFalse();
    assertThat(first.tryBuffer(part, 10)).as("a hundredth of the limit").isTrue();
    first.consumerWaits(true);
    assertThat(first.tryBuffer(part, 500)).isTrue();
  }

  @Test
  void anAccountWithoutALimitRefusesNothing() {
    Overdraft.Turns unlimited =
        new Overdraft.Turns(new Account("heap", Long.MAX_VALUE), nowNs::get);
    assertThat(new Overdraft(unlimited).tryBuffer(part, 1)).isTrue();
    assertThat(new Overdraft(unlimited).tryBuffer(part, 1)).isTrue();
  }
}
