/**
 * Headrace datasets for trainers of the Deep Java Library.
 *
 * <p>The main type is {@link dev.headrace.djl.HeadraceDataset}. May import core's façade and data.
 */
@NullMarked
package dev.headrace.djl;

import org.jspecify.annotations.NullMarked;
