package dev.headrace.cuda.kernel;

/**
 * Where on the device something lies.
 *
 * @param offset bytes from the beginning of the buffer
 */
record Place(Program.Buffer buffer, long offset) {}
