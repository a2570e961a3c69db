package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedactionTest {
  private static final Redaction REDACTION =
      Redaction.of("/data/people/ada", "ada", List.of("lab-7.example.org", "lab-7"));

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "/data/people/ada/x.jpg | ~/x.jpg",
        "/data/people/adam/x.jpg | /data/people/adam/x.jpg",
        "/home/grace/data/*.jpg | ~/data/*.jpg",
        "file:///Users/grace/a.txt | file://~/a.txt",
        "C:\\Users\\grace\\a.txt | ~\\a.txt",
        "c:/users/grace/a.txt | ~/a.txt",
        "C:\\\\Users\\\\grace\\\\a.txt | ~\\\\a.txt",
        "https://joe:pw1@host.org/a?sig=abc&x=1 | https://host.org/a?…",
        "s3://bucket/key?versionId=7. | s3://bucket/key?…",
        "https://tok3n@host.org/a#frag | https://host.org/a?…",
        "--password hunter2 | --password …",
        "api_key=abc123 secret: xyz | api_key=… secret: …",
        "mail ada.l@example.org now | mail …@… now",
        "on lab-7.example.org by ada | on host by user",
        "LAB-7 and lab-77 | host and lab-77",
        "map (Train.java:17) reads 4 of 7 | map (Train.java:17) reads 4 of 7",
        "canada, Ada_1, ADA | canada, user_1, user",
      })
  void personalPartsAreLeftOut(String text, String clean) {
    assertThat(REDACTION.of(text)).isEqualTo(clean);
  }

  @Test
  void aSharedPageHasThemNowhere() {
    String text =
        "map '/home/grace/x' of ada on lab-7 from https://joe:pw1@h.org/a?sig=s3cr3t"
            + " C:\\Users\\grace\\y /data/people/ada/z (Train.java:1)";
    Report report =
        Report.of(OddSamples.everywhere(text))
            .trials(List.of(OddSamples.trial(text)))
            .title(text)
            .command(text);
    assertThat(report.html()).contains("grace", "ada", "lab-7", "pw1", "s3cr3t");
    assertThat(report.html(REDACTION))
        .doesNotContainIgnoringCase("grace", "lab-7", "joe", "pw1", "s3cr3t", "people/ada")
        .doesNotContainPattern("(?i)\\bada\\b");
  }

  @Test
  void aSharedTraceHasThemNowhere() throws Exception {
    String text = "map '/home/grace/x' of ada (Train.java:1)";
    assertThat(Trace.of(OddSamples.everywhere(text)).share(REDACTION).json())
        .contains("Train.java:1")
        .doesNotContain("grace", "of ada");
  }

  @Test
  void thisProcessIsKnown() {
    String home = System.getProperty("user.home");
    assertThat(Redaction.here().of(home + "/data.txt")).isEqualTo("~/data.txt");
    for (String host : HostNames.ofThisMachine()) {
      if (!host.equals("localhost")) {
        assertThat(Redaction.here().of("on " + host + " now")).isEqualTo("on host now");
      }
    }
  }
}
