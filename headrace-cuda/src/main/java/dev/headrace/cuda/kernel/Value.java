package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;

/**
 * An element in a register. Integers of up to 32 bits are in one of 32, extended as their type
 * says; floats of up to 32 bits are floats that their type can hold.
 */
record Value(DType dtype, Operand operand) {}
