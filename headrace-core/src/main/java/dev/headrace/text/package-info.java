/**
 * Functions that parse lines of text: separated values and JSON.
 *
 * <p>The main type is {@link dev.headrace.text.CsvLines}. This package imports {@code data} and the
 * function types of {@code spi}; only users and the façade import it.
 */
@NullMarked
package dev.headrace.text;

import org.jspecify.annotations.NullMarked;
