/**
 * The rules of the linter, a few for each kind of operator; main type {@link
 * dev.headrace.profile.lint.Rule}. A rule asks traits, and names operators only where it is about
 * them. Imports {@code op}, {@code spi}, {@code data} and the values of {@code profile}.
 */
@NullMarked
package dev.headrace.profile.lint;

import org.jspecify.annotations.NullMarked;
