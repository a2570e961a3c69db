/**
 * Functions that parse lines of text: separated values and JSON.
 *
 * <p>The main types are {@link dev.headrace.text.CsvLines} and {@link dev.headrace.text.Json}. This
 * package imports {@code data} and the function types of {@code spi}; only users and the façade
 * import it.
 */
@NullMarked
package dev.headrace.text;

import org.jspecify.annotations.NullMarked;
