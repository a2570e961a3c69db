/**
 * What a user of Headrace writes: describe a dataset, open it, read it, ask why it was as fast as
 * it was.
 *
 * <p>Main types: {@code Dataset}, an immutable description, and {@code Pipeline}, an opened one.
 *
 * <p>May import every other package of core; no other package but {@code testing} imports this one.
 */
@NullMarked
package dev.headrace;

import org.jspecify.annotations.NullMarked;
