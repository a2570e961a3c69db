package dev.headrace.spi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.SerializedLambda;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The name of a function of the user, and what it is: the name it was given, or its content.
 *
 * @param label short, for people
 * @param content what it does and with what, as far as that can be read
 */
public record FunctionIdentity(String label, ContentIdentity content) {

  /**
   * A function that says its own name, as library functions do. Unless it says otherwise, the name
   * is all of its {@link #identity}: two functions with the same name count as the same function.
   */
  public interface Named extends Identified {
    String functionName();

    @Override
    default Object identity() {
      return functionName();
    }
  }

  /** The identity of a function; it reads everything that the function captured. */
  public static FunctionIdentity of(Object function) {
    String label = labelOf(function);
    return new FunctionIdentity(
        label, ContentDigest.of(label, function, ContentDigest.Bounds.ofCaptured()));
  }

  /** The name of a function, for people. */
  public static String labelOf(Object function) {
    if (function instanceof Named named) {
      return named.functionName();
    }
    SerializedLambda lambda = SerialForm.lambda(function);
    if (lambda == null) {
      return ContentDigest.simpleName(function.getClass());
    }
    String owner = lambda.getImplClass().replace('/', '.');
    String method = lambda.getImplMethodName();
    boolean isReference = !method.startsWith("lambda$");
    return owner.substring(owner.lastIndexOf('.') + 1) + (isReference ? "::" : ".") + method;
  }

  /** The same in every process for the same code and captured values, as far as can be read. */
  public String hash() {
    return content.shortHash();
  }

  /** A short hash of texts. */
  public static String digest(String... texts) {
    MessageDigest sha = ContentDigest.sha256();
    for (String text : texts) {
      sha.update(text.getBytes(UTF_8));
      sha.update((byte) 0);
    }
    return shortened(sha);
  }

  /** The digest as it is written in texts. */
  static String shortened(MessageDigest sha) {
    return HexFormat.of().formatHex(sha.digest(), 0, 8);
  }
}
