package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/** Makes the failure of an element for which a function failed, with the path of that function. */
@FunctionalInterface
public interface Blame {
  Failure failure(@Nullable Id id, Throwable cause);
}
