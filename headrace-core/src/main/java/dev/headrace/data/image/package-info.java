/**
 * Images as deferred expressions and the loops that compute them: resize, crop, flip, colour,
 * layout. A decoder is an {@link dev.headrace.data.image.ImageSource}. Imports {@code data} alone.
 */
@NullMarked
package dev.headrace.data.image;

import org.jspecify.annotations.NullMarked;
