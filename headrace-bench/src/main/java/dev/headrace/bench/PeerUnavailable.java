package dev.headrace.bench;

/** A peer cannot be measured on this machine. */
public final class PeerUnavailable extends Exception {
  private static final long serialVersionUID = 1;

  PeerUnavailable(String peer, Exception why) {
    super("peer %s not available: %s; rows show no peer".formatted(peer, why.getMessage()), why);
  }
}
