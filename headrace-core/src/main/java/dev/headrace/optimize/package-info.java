/**
 * The optimizer: it turns the plan that the user wrote into one that gives the same elements
 * sooner.
 *
 * <p>Main types: {@link dev.headrace.optimize.Optimizer}, which has the list of rules, and {@link
 * dev.headrace.optimize.Rule}, one small class each. A rule asks traits, and names operators only
 * where it is about them.
 *
 * <p>May import {@code op}, {@code spi} and {@code data}; knows neither the engine nor the façade.
 */
@NullMarked
package dev.headrace.optimize;

import org.jspecify.annotations.NullMarked;
