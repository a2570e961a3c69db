/** Decoders for JPEG and PNG. */
module dev.headrace.image {
  exports dev.headrace.image;

  requires transitive dev.headrace.core;
  requires static java.desktop;
  requires static org.jspecify;
}
