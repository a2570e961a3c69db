package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.profile.PrometheusText;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricsServerTest {
  private static HttpResponse<String> ask(HttpClient client, String url, String method)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void servesWhatAPipelineHasDone() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient();
        Pipeline<Long> pipeline = Dataset.range(100).prefetch(4).open();
        MetricsServer metrics = MetricsServer.start(0, () -> List.of(pipeline.stats()))) {
      pipeline.forEach(x -> {});
      HttpResponse<String> answer = ask(client, metrics.url(), "GET");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains(PrometheusText.CONTENT_TYPE);
      assertThat(answer.body()).contains("headrace_elements_total{pipeline=\"0\"} 100\n");
      assertThat(ask(client, metrics.url(), "HEAD").body()).isEmpty();
      assertThat(ask(client, metrics.url(), "POST").statusCode()).isEqualTo(405);
      assertThat(ask(client, metrics.url() + "x", "GET").statusCode()).isEqualTo(404);
      assertThat(metrics.url()).containsPattern("http://(127\\.0\\.0\\.1|\\[.*1\\]):\\d+/metrics");
    }
  }

  /** The status of a request that names this host, or several or none. */
  private static int statusFor(MetricsServer metrics, String... hosts) throws IOException {
    URI url = URI.create(metrics.url());
    try (Socket socket = new Socket(url.getHost().replaceAll("[\\[\\]]", ""), url.getPort())) {
      StringBuilder request = new StringBuilder("GET /metrics HTTP/1.0\r\n");
      for (String host : hosts) {
        request.append("Host: ").append(host).append("\r\n");
      }
      socket.getOutputStream().write((request + "\r\n").getBytes(StandardCharsets.US_ASCII));
      String line = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return Integer.parseInt(line.split(" ")[1]);
    }
  }

  @Test
  void answersOnlyRequestsThatNameThisMachine() throws IOException {
    try (MetricsServer metrics = MetricsServer.start(0, List::of)) {
      for (String host :
          List.of("localhost", "LocalHost:" + metrics.port(), "127.0.0.1:1", "[::1]", "[::1]:80")) {
        assertThat(statusFor(metrics, host)).as(host).isEqualTo(200);
      }
      for (String host :
          List.of(
              "evil.example",
              "evil.example:" + metrics.port(),
              "localhost.evil.example",
              "127.0.0.1.evil.example",
              "8.8.8.8",
              "[2001:db8::1]:80",
              "",
              "localhost@evil.example")) {
        assertThat(statusFor(metrics, host)).as(host).isEqualTo(403);
      }
      assertThat(statusFor(metrics)).isEqualTo(403);
      assertThat(statusFor(metrics, "localhost", "evil.example")).isEqualTo(403);
    }
  }

  @Test
  void answersToTheNameThatWasConfigured() throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getByAddress("trainer.local", new byte[] {127, 0, 0, 1}), 0);
    try (MetricsServer metrics = MetricsServer.start(address, List::of)) {
      assertThat(statusFor(metrics, "trainer.local:9464")).isEqualTo(200);
      assertThat(statusFor(metrics, "other.local:9464")).isEqualTo(403);
    }
  }

  @Test
  void afterClosingNobodyAnswersAndThePortIsFree() throws Exception {
    MetricsServer metrics = MetricsServer.start(0, List::of);
    int port = metrics.port();
    String url = metrics.url();
    metrics.close();
    metrics.close();
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThatThrownBy(() -> ask(client, url, "GET")).isInstanceOf(ConnectException.class);
    }
    MetricsServer.start(port, List::of).close();
  }

  @Test
  void whatIsWrongIsSaid() throws Exception {
    assertThatThrownBy(() -> MetricsServer.start(70_000, List::of))
        .hasMessageContaining("expected 0 to 65535, but got 70000");
    try (HttpClient client = HttpClient.newHttpClient();
        MetricsServer metrics =
            MetricsServer.start(
                0,
                () -> {
                  throw new IllegalStateException("closed");
                })) {
      assertThatThrownBy(() -> MetricsServer.start(metrics.port(), List::of))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("choose another port, or 0");
      HttpResponse<String> answer = ask(client, metrics.url(), "GET");
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).contains("no metrics: ", "closed");
    }
  }
}
