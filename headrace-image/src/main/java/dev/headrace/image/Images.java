package dev.headrace.image;

/** Images from files, as deferred tensors. */
public final class Images {
  private Images() {}
}
