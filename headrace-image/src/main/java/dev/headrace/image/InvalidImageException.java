package dev.headrace.image;

/** The bytes are not an image that can be decoded, or one beyond the {@link ImageLimits}. */
public final class InvalidImageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  InvalidImageException(String message) {
    super(message);
  }
}
