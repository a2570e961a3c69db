package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.profile.Diagnosis;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page as a browser shows it: wide, on a phone, without scripts, in the dark, on paper. */
@Tag("browser")
class ReportInBrowserTest {
  private static final int PHONE = 390;
  private static final int DESK = 1280;

  /**
   * Shows the page in a frame of a given width and looks at it from outside, so that the page
   * itself stays as it is, its policy included.
   */
  private static final String PROBE =
      """
      <!DOCTYPE html><meta charset="utf-8">
      <body><iframe id="frame" %s style="width:%dpx;height:900px;border:0"></iframe>
      <pre id="result"></pre>
      <script>
      const frame = document.getElementById('frame');
      frame.onload = () => {
        const page = frame.contentDocument, view = frame.contentWindow;
        const wide = [...page.querySelectorAll('body *')].filter(e => {
          if (e.closest('svg') !== null || e.closest('.scroll, pre')) return false;
          return e.getBoundingClientRect().right > view.innerWidth + 1;
        }).map(e => e.tagName + '.' + e.className);
        const outside = [...page.querySelectorAll('.node text')].filter(text => {
          const box = text.closest('.node').querySelector('.box').getBoundingClientRect();
          const own = text.getBoundingClientRect();
          return own.width > 0 && (own.right > box.right + 1 || own.left < box.left - 1);
        }).map(text => text.textContent);
        const overlaps = [];
        page.querySelectorAll('.upright .node').forEach(node => {
          const texts = [...node.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]).filter(t => t[1].width > 0);
          for (const [a, p] of texts) for (const [b, q] of texts)
            if (a < b && p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 4 && q.top < p.bottom - 4) overlaps.push(a + ' / ' + b);
        });
        const style = view.getComputedStyle(page.body);
        document.getElementById('result').textContent = JSON.stringify({
          width: view.innerWidth, scroll: page.documentElement.scrollWidth, wide, outside, overlaps,
          background: style.backgroundColor, ink: style.color,
          scripted: page.querySelector('.tooltip') !== null,
          titles: page.querySelectorAll('.tip title').length,
          text: page.body.innerText,
          graphs: [...page.querySelectorAll('svg.graph')].filter(g => g.getBoundingClientRect().width > 0).length
        });
      };
      frame.srcdoc = new TextDecoder().decode(Uint8Array.from(atob('%s'), c => c.charCodeAt(0)));
      </script>
      """;

  @TempDir private Path folder = Path.of("");

  static Stream<Diagnosis> diagnoses() {
    return Stream.of(
        Samples.flowers(),
        Samples.branches(),
        OddSamples.everywhere(
            "<script>console.error('x')</script>\" onload=\"alert(1) " + "y".repeat(5_000)),
        OddSamples.many(200),
        OddSamples.numbers(Double.NaN),
        OddSamples.nothing());
  }

  private Map<?, ?> look(Report report, int width, boolean hasScripts, String... options)
      throws IOException, InterruptedException {
    String html = report.html();
    Path probe = folder.resolve("probe.html");
    String encoded =
        java.util.Base64.getEncoder().encodeToString(html.getBytes(StandardCharsets.UTF_8));
    Files.writeString(
        probe, PROBE.formatted(hasScripts ? "" : "sandbox=\"allow-same-origin\"", width, encoded));
    Chromium.Run run = Chromium.in(folder).open(probe, DESK + 40, 1000, options);
    if (hasScripts) {
      assertThat(run.console()).isEmpty();
    }
    Matcher result =
        Pattern.compile("<pre id=\"result\">(.*?)</pre>", Pattern.DOTALL).matcher(run.dom());
    assertThat(result.find()).isTrue();
    String json =
        result
            .group(1)
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&nbsp;", "\u00a0")
            .replace("&amp;", "&");
    return (Map<?, ?>) Objects.requireNonNull(JsonParser.parse(json));
  }

  private static void assertNothingOverflows(Map<?, ?> seen) {
    assertThat(seen.get("wide")).as("elements wider than the page").isEqualTo(List.of());
    assertThat((Long) seen.get("scroll")).isLessThanOrEqualTo((Long) seen.get("width"));
    assertThat(seen.get("outside")).as("texts outside of their boxes").isEqualTo(List.of());
    assertThat(seen.get("overlaps")).as("texts on one another").isEqualTo(List.of());
    assertThat(seen.get("graphs")).as("drawings to be seen").isEqualTo(1L);
  }

  @ParameterizedTest
  @MethodSource("diagnoses")
  void nothingOverflows(Diagnosis diagnosis) throws Exception {
    Report report =
        Report.of(diagnosis)
            .trials(
                List.of(
                    new dev.headrace.profile.Trial(
                        Samples.flowers().advice().getFirst(), diagnosis, diagnosis)));
    assertNothingOverflows(look(report, DESK, true));
    assertNothingOverflows(look(report, PHONE, true));
  }

  @Test
  void theAnswerIsThereWithAndWithoutScripts() throws Exception {
    Report report = Report.of(Samples.flowers()).trials(Samples.trials()).title("flowers");
    for (boolean hasScripts : List.of(true, false)) {
      Map<?, ?> seen = look(report, PHONE, hasScripts);
      assertThat(seen.get("scripted")).isEqualTo(hasScripts);
      assertThat((Long) seen.get("titles")).matches(count -> hasScripts == (count == 0));
      assertThat(String.valueOf(seen.get("text")))
          .contains("flowers")
          .contains("decodes one photo after another", "12\u00a0%", "Decode on several threads")
          .contains("Changed and measured again", "What to change", "Over time", "The plan");
      assertNothingOverflows(seen);
    }
  }

  @Test
  void thePageItselfSaysNothingOnTheConsole() throws Exception {
    Path page = folder.resolve("report.html");
    Report.of(Samples.flowers()).writeTo(page);
    Chromium.Run run = Chromium.in(folder).open(page, DESK, 900);
    assertThat(run.console()).isEmpty();
    assertThat(run.dom()).contains("class=\"tooltip\"");
  }

  @Test
  void lightAndDarkFollowTheReader() throws Exception {
    Report report = Report.of(Samples.flowers());
    Map<?, ?> light = look(report, DESK, true, "--blink-settings=preferredColorScheme=1");
    Map<?, ?> dark = look(report, DESK, true, "--blink-settings=preferredColorScheme=0");
    assertThat(light.get("background")).isEqualTo("rgb(244, 246, 248)");
    assertThat(dark.get("background")).isEqualTo("rgb(13, 19, 24)");
    assertThat(light.get("ink")).isNotEqualTo(dark.get("ink"));
  }

  @Test
  void theLimitIsSeenInAPicture() throws Exception {
    Path page = folder.resolve("report.html");
    Path picture = folder.resolve("report.png");
    Report.of(Samples.flowers()).writeTo(page);
    Chromium.in(folder).photograph(page, DESK, 900, picture);
    BufferedImage image = Objects.requireNonNull(ImageIO.read(picture.toFile()));
    int flag = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        if ((image.getRGB(x, y) & 0xffffff) == 0xb34e00) {
          flag++;
        }
      }
    }
    assertThat(flag).as("points of the flag's colour").isGreaterThan(1500);
  }

  @Test
  void itPrints() throws Exception {
    Path page = folder.resolve("report.html");
    Path pdf = folder.resolve("report.pdf");
    Report.of(Samples.flowers()).writeTo(page);
    Chromium.in(folder).print(page, pdf);
    assertThat(Files.readAllBytes(pdf)).startsWith("%PDF".getBytes(StandardCharsets.US_ASCII));
  }
}
