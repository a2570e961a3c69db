package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HeldLedgerTest {
  private record Noted(HeldLedger.Moment moment, long[] held) {}

  @Test
  void momentsTellWhatWasHeldThenHoweverItWentOn() {
    Random random = new Random(7);
    HeldLedger ledger = new HeldLedger();
    TreeSet<Long> held = new TreeSet<>();
    List<Noted> noted = new ArrayList<>();
    long number = 0;
    for (int step = 0; step < 20_000; step++) {
      number += random.nextInt(3) == 0 ? random.nextInt(200) : 1;
      ledger.hold(number);
      held.add(number++);
      if (held.size() > 20) {
        long[] gone =
            held.stream()
                .filter(each -> each != 0 && random.nextInt(4) > 0)
                .mapToLong(each -> each)
                .toArray();
        ledger.flush(Arrays.copyOf(gone, gone.length + 2), gone.length);
        Arrays.stream(gone).forEach(held::remove);
      }
      assertThat(ledger.oldest(number)).isEqualTo(held.isEmpty() ? number : held.first());
      if (random.nextInt(50) == 0) {
        noted.add(
            new Noted(ledger.now(number), held.stream().mapToLong(each -> each - 3).toArray()));
      }
    }
    for (Noted each : noted) {
      assertThat(each.moment.heldSince(3)).isEqualTo(each.held);
    }
  }
}
