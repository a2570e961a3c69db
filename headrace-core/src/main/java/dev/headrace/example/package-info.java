/**
 * Records of TensorFlow: parses and writes {@code tf.train.Example} and {@code
 * tf.train.SequenceExample} without generated classes.
 *
 * <p>The main type is {@link dev.headrace.example.Example}. This package imports {@code data} and
 * the function types of {@code spi}; only users and the façade import it.
 */
@NullMarked
package dev.headrace.example;

import org.jspecify.annotations.NullMarked;
