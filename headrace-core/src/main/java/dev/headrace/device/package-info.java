/**
 * Devices: memory to which batches are copied while the consumer works on the one before, and the
 * host itself as one, with a bus as slow as one likes.
 *
 * <p>Main type: {@link dev.headrace.device.Device}.
 *
 * <p>May import {@code data} and {@code spi}.
 */
@NullMarked
package dev.headrace.device;

import org.jspecify.annotations.NullMarked;
