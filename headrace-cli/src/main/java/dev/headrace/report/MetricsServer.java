package dev.headrace.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.headrace.profile.PipelineStats;
import dev.headrace.profile.PrometheusText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} for Prometheus: what pipelines have done so far, asked for again with
 * each request.
 *
 * <pre>{@code
 * try (MetricsServer metrics = MetricsServer.start(9464, () -> List.of(pipeline.stats()))) { … }
 * }</pre>
 *
 * <p>Only this machine can ask, unless it is started with another address. A page of a browser
 * cannot ask by a name that it points at this machine: the request must name this machine's
 * loopback, the address that it came in on, or the one that was configured. <b>Threading:</b> a
 * virtual thread for each request, which calls the supplier; {@link #close()} ends them.
 */
public final class MetricsServer implements AutoCloseable {
  private static final String PATH = "/metrics";

  private final HttpServer server;
  private final ExecutorService requests;

  private MetricsServer(HttpServer server, ExecutorService requests) {
    this.server = server;
    this.requests = requests;
  }

  /**
   * Serves on a port of this machine's loopback address; 0 for any that is free.
   *
   * @throws IOException where the port is taken
   */
  public static MetricsServer start(int port, Supplier<List<PipelineStats>> stats)
      throws IOException {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "metrics port: expected 0 to 65535, but got " + port + "; 0 takes any that is free");
    }
    return start(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), stats);
  }

  /** Serves on an address, for others to see. */
  public static MetricsServer start(InetSocketAddress address, Supplier<List<PipelineStats>> stats)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new IOException(
          "metrics: cannot listen on %s: %s; choose another port, or 0 for any that is free"
              .formatted(address, e.getMessage()),
          e);
    }
    ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    server.setExecutor(requests);
    String configured = address.getHostString();
    server.createContext("/", exchange -> answer(exchange, configured, stats));
    server.start();
    return new MetricsServer(server, requests);
  }

  /** The port that it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Where to ask. */
  public String url() {
    String host = server.getAddress().getAddress().getHostAddress();
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port() + PATH;
  }

  @Override
  public void close() {
    server.stop(0);
    requests.shutdownNow();
  }

  /**
   * Whether a request names this server as only a client that means it does. A name that was made
   * to point here (DNS rebinding) is another one.
   */
  private static boolean isMeant(HttpExchange exchange, String configured) {
    List<String> hosts = exchange.getRequestHeaders().getOrDefault("Host", List.of());
    if (hosts.size() != 1) {
      return false;
    }
    String host = withoutPort(hosts.getFirst()).toLowerCase(Locale.ROOT);
    return host.equals("localhost")
        || host.equals(configured.toLowerCase(Locale.ROOT))
        || isAddress(host) && isOfThisMachine(host, exchange.getLocalAddress().getAddress());
  }

  private static String withoutPort(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') : -1;
    if (end > 0) {
      return host.substring(1, end);
    }
    int colon = host.lastIndexOf(':');
    return colon < 0 ? host : host.substring(0, colon);
  }

  /** Whether it is written in digits, so that no name is looked up. */
  private static boolean isAddress(String host) {
    return host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}") || host.matches("[0-9a-f:.]*:[0-9a-f:.]*");
  }

  private static boolean isOfThisMachine(String host, InetAddress askedAt) {
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress() || address.equals(askedAt);
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static void answer(
      HttpExchange exchange, String configured, Supplier<List<PipelineStats>> stats)
      throws IOException {
    try (exchange) {
      if (!isMeant(exchange, configured)) {
        send(
            exchange,
            403,
            "text/plain",
            "expected a Host that is this machine's loopback or the address that was configured\n");
        return;
      }
      String path = exchange.getRequestURI().getPath();
      String method = exchange.getRequestMethod();
      if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        send(exchange, 405, "text/plain", "expected GET\n");
      } else if (!PATH.equals(path)) {
        send(exchange, 404, "text/plain", "expected " + PATH + "\n");
      } else {
        String text;
        try {
          text = PrometheusText.of(stats.get().toArray(PipelineStats[]::new));
        } catch (RuntimeException e) {
          send(exchange, 500, "text/plain", "no metrics: " + e + "\n");
          return;
        }
        send(exchange, 200, PrometheusText.CONTENT_TYPE, text);
      }
    }
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    boolean hasBody = !exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, hasBody ? bytes.length : -1);
    if (hasBody) {
      exchange.getResponseBody().write(bytes);
    }
  }
}
