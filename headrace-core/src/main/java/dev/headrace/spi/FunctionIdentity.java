package dev.headrace.spi;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The name of a function of the user: the one it was given, or the method it is, with a hash of the
 * class that declares it and of the values it captured.
 *
 * @param label short, for people
 * @param hash the same in every process for the same code and captured values
 */
public record FunctionIdentity(String label, String hash) {

  /** A function that says its own name, as library functions and named functions do. */
  public interface Named {
    String functionName();
  }

  public static FunctionIdentity of(Object function) {
    if (function instanceof Named named) {
      return new FunctionIdentity(named.functionName(), digest(named.functionName()));
    }
    SerializedLambda lambda = lambdaOf(function);
    if (lambda != null) {
      String owner = lambda.getImplClass().replace('/', '.');
      String method = lambda.getImplMethodName();
      StringBuilder captured = new StringBuilder();
      for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
        captured.append(valueText(lambda.getCapturedArg(i))).append(';');
      }
      boolean isReference = !method.startsWith("lambda$");
      String label =
          owner.substring(owner.lastIndexOf('.') + 1) + (isReference ? "::" : ".") + method;
      return new FunctionIdentity(
          label,
          digest(
              owner + "#" + method + lambda.getImplMethodSignature(),
              classHash(owner, function.getClass()),
              captured.toString()));
    }
    Class<?> type = function.getClass();
    String name = type.getName();
    int hidden = name.indexOf("$$Lambda");
    String owner = hidden < 0 ? name : name.substring(0, hidden);
    return new FunctionIdentity(
        owner.substring(owner.lastIndexOf('.') + 1), digest(owner, classHash(owner, type)));
  }

  private static @Nullable SerializedLambda lambdaOf(Object function) {
    if (!function.getClass().isHidden()) {
      return null;
    }
    try {
      Method writeReplace = function.getClass().getDeclaredMethod("writeReplace");
      writeReplace.setAccessible(true);
      return writeReplace.invoke(function) instanceof SerializedLambda lambda ? lambda : null;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // a closed module: the class's own hash serves
    }
  }

  /** Values by content where that is stable between processes, by type where it is not. */
  private static String valueText(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Number n -> n.getClass().getSimpleName() + n;
      case CharSequence s -> "\"" + s + "\"";
      case Boolean b -> b.toString();
      case Character c -> "'" + c + "'";
      case Enum<?> e -> e.getDeclaringClass().getName() + "." + e.name();
      case byte[] bytes -> Arrays.toString(bytes);
      case int[] ints -> Arrays.toString(ints);
      case long[] longs -> Arrays.toString(longs);
      case float[] floats -> Arrays.toString(floats);
      case double[] doubles -> Arrays.toString(doubles);
      case java.nio.file.Path path -> path.toString();
      case Collection<?> items ->
          items.stream().map(FunctionIdentity::valueText).toList().toString();
      case Map<?, ?> map -> {
        StringBuilder text = new StringBuilder("{");
        map.forEach(
            (k, v) -> text.append(valueText(k)).append('=').append(valueText(v)).append(';'));
        yield text.append('}').toString();
      }
      case Record record -> record.getClass().getName() + record;
      case UserFunction function -> of(function).hash();
      default -> value.getClass().isHidden() ? of(value).hash() : value.getClass().getName();
    };
  }

  /** Hashes of class files, by the class that looks and the class looked at. */
  private static final ClassValue<Map<String, String>> CLASS_HASHES =
      new ClassValue<>() {
        @Override
        protected Map<String, String> computeValue(Class<?> near) {
          return new ConcurrentHashMap<>();
        }
      };

  private static String classHash(String owner, Class<?> near) {
    return CLASS_HASHES.get(near).computeIfAbsent(owner, name -> readHash(name, near));
  }

  private static String readHash(String owner, Class<?> near) {
    ClassLoader loader = near.getClassLoader();
    String resource = owner.replace('.', '/') + ".class";
    try (InputStream bytes =
        loader == null
            ? ClassLoader.getSystemResourceAsStream(resource)
            : loader.getResourceAsStream(resource)) {
      return bytes == null
          ? owner
          : HexFormat.of().formatHex(sha256().digest(bytes.readAllBytes()));
    } catch (IOException e) {
      return owner;
    }
  }

  /** A short hash of texts. */
  public static String digest(String... texts) {
    MessageDigest sha = sha256();
    for (String text : texts) {
      sha.update(text.getBytes(StandardCharsets.UTF_8));
      sha.update((byte) 0);
    }
    return HexFormat.of().formatHex(sha.digest(), 0, 8);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
