/**
 * Decodes JPEG and PNG files; {@link dev.headrace.image.Images} is where to begin. Imports {@code
 * data} of the core.
 */
@NullMarked
package dev.headrace.image;

import org.jspecify.annotations.NullMarked;
