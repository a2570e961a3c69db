/**
 * Images for tests and benchmarks, made without a camera; see {@link
 * dev.headrace.image.testing.SyntheticPhotos}.
 */
@NullMarked
package dev.headrace.image.testing;

import org.jspecify.annotations.NullMarked;
