/**
 * What the engine changes by itself while a pipeline runs: decisions on the diagnosis' model, each
 * checked by measuring. It knows neither operators nor how they are run.
 */
@NullMarked
package dev.headrace.tune;

import org.jspecify.annotations.NullMarked;
