/**
 * The operators, one file each: an immutable record with its running cursor nested and private.
 *
 * <p>Main types: the records whose names end in {@code Op}.
 *
 * <p>May import {@code data} and {@code spi}; operators know neither the engine, nor the façade,
 * nor each other.
 */
@NullMarked
package dev.headrace.op;

import org.jspecify.annotations.NullMarked;
