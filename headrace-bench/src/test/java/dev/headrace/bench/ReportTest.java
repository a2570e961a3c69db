package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final double[] OURS = {10, 11, 10, 12, 10, 9, 10, 11, 10};
  private static final double[] PEER = {1000, 1100, 1000, 1200, 1000, 900, 1000, 1100, 1000};

  private static final Row PAIRED =
      Row.ofPairs("chain", "ns", OURS, PEER, "the peer", Bar.ratioAtLeast(50), 0);
  private static final Row ALONE =
      Row.alone("latency", "us", new Interval(40, 30, 51), Bar.atMost(50));

  @Test
  void ratiosArePairwiseAndAboveOneWhereWeAreBetter() {
    assertThat(PAIRED.ratio()).isEqualTo(new Interval(100, 100, 100));
    assertThat(PAIRED.holds()).isTrue();
  }

  @Test
  void aBarHoldsWhereTheUnfavourableEndDoes() {
    assertThat(ALONE.holds()).isFalse();
    assertThat(Row.alone("x", "us", new Interval(40, 30, 50), Bar.atMost(50)).holds()).isTrue();
  }

  @Test
  void aBarOnARatioSaysNothingWithoutAPeer() {
    Row row = Row.alone("x", "ns", Interval.of(1), Bar.ratioAtLeast(500));
    assertThat(row.holds()).isNull();
    assertThat(report(row).holds()).isTrue();
    assertThat(report(row).table(word -> word, word -> word)).contains("no peer");
  }

  @Test
  @SuppressWarnings("unchecked")
  void jsonHasTheAgreedShape() {
    Map<String, Object> json = Json.readObject(report(PAIRED, ALONE).toJson());
    assertThat(json).containsKeys("scenario", "date", "machine", "jdk", "notes", "rows");
    List<Map<String, Object>> rows = (List<Map<String, Object>>) json.get("rows");
    assertThat(rows.getFirst())
        .containsEntry("name", "chain")
        .containsEntry("unit", "ns")
        .containsEntry("ours", 10.0)
        .containsEntry("peer", 1000.0)
        .containsEntry("peerName", "the peer")
        .containsEntry("ratio", 100.0)
        .containsEntry("low", 100.0)
        .containsEntry("high", 100.0)
        .containsEntry("bar", "ratio >= 50");
    assertThat(rows.getLast())
        .containsEntry("peer", null)
        .containsEntry("peerName", null)
        .containsEntry("ratio", null)
        .containsEntry("bar", "ours <= 50")
        .containsEntry("holds", false);
  }

  @Test
  void theTableNamesPeersAndVerdicts() {
    String table = report(PAIRED, ALONE).table(word -> word, word -> word);
    assertThat(table).contains("peer: the peer").contains("pass").contains("FAIL");
    assertThat(table).doesNotContain("\u001b");
    assertThat(report(PAIRED).table(word -> "+" + word, word -> "-" + word)).contains("+pass");
  }

  private static Report report(Row... rows) {
    return Report.now("test", 0, List.of(), List.of(rows));
  }
}
