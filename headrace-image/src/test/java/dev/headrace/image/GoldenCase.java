package dev.headrace.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/**
 * What TensorFlow gave for one call.
 *
 * @param call the call in words
 * @param file the file that it got, or {@code -}
 * @param type of the result, or {@code error}
 * @param code the kind of the error, or empty
 * @param values of the result, little endian
 */
record GoldenCase(
    String name, String call, String file, String type, String code, long[] shape, byte[] values) {

  static List<GoldenCase> read(String resource) {
    List<GoldenCase> cases = new ArrayList<>();
    for (String line : new String(resource(resource), UTF_8).split("\n")) {
      if (line.startsWith("#")) {
        continue;
      }
      String[] fields = line.split(" \\| ");
      boolean isError = fields[3].equals("error");
      cases.add(
          new GoldenCase(
              fields[0],
              fields[1],
              fields[2],
              fields[3],
              isError ? fields[4] : "",
              isError
                  ? new long[0]
                  : Arrays.stream(fields[4].split(",")).mapToLong(Long::parseLong).toArray(),
              isError ? new byte[0] : Base64.getDecoder().decode(fields[5])));
    }
    return cases;
  }

  static byte[] resource(String name) {
    try (InputStream stream =
        Objects.requireNonNull(GoldenCase.class.getResourceAsStream("/golden/" + name), name)) {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException(name, e);
    }
  }

  boolean isError() {
    return type.equals("error");
  }

  @Override
  public String toString() {
    return name;
  }
}
