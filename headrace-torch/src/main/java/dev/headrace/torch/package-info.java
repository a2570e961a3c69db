/**
 * Headrace batches as tensors of PyTorch (JavaCPP Presets), and back.
 *
 * <p>The main type is {@link dev.headrace.torch.TorchBatches}. May import core's façade and data.
 */
@NullMarked
package dev.headrace.torch;

import org.jspecify.annotations.NullMarked;
