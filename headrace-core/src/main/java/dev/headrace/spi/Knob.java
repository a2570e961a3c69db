package dev.headrace.spi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a component of an {@link Op} that shapes neither elements nor order: concurrency,
 * read-ahead, buffer sizes, where a cache is kept.
 *
 * <p>Knobs may be {@link #AUTOTUNE}; they are left out of the plan's identity, so that a checkpoint
 * can be resumed with other values.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Knob {
  /** The value that leaves the choice to the engine. */
  int AUTOTUNE = -1;
}
