/** Decoders for JPEG and PNG. */
module dev.headrace.image {
  exports dev.headrace.image;
  exports dev.headrace.image.testing;

  // What a function captured is known by its content.
  opens dev.headrace.image to
      dev.headrace.core;

  requires transitive dev.headrace.core;

  // Each of these is a decoder, and is missed by name, never needed.
  requires static java.desktop;
  requires static org.bytedeco.javacpp;
  requires static org.bytedeco.opencv;
  requires static org.jspecify;
}
