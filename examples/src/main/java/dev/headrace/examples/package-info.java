/** Programs to read, run and begin from; each stands by itself and makes the data it needs. */
@NullMarked
package dev.headrace.examples;

import org.jspecify.annotations.NullMarked;
