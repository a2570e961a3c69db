package dev.headrace.spi;

/** A kind of function with code of its own. */
public interface MultiplyingFn extends Fn<Long, Long> {
  long FACTOR = 0x0123_4567_89ab_cdefL;

  long before(long x);

  @Override
  default Long apply(Long x) {
    return FACTOR * before(x);
  }
}
