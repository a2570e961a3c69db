package dev.headrace;

/**
 * What one step of a training did.
 *
 * @param epoch from 0
 * @param step from 1, counted over all epochs and from before a resumption on
 * @param stepOfEpoch from 1 in each epoch
 * @param elements in its batch; {@link Dataset#UNKNOWN} where the batch does not tell
 * @param loss as the step told it; NaN where it does not
 * @param waitNs spent waiting for the batch, and {@code stepNs} inside the step
 */
public record StepResult(
    long epoch,
    long step,
    long stepOfEpoch,
    long elements,
    double loss,
    long waitNs,
    long stepNs) {}
