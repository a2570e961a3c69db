package dev.headrace.cuda.kernel;

/**
 * Where on the device something lies.
 *
 * @param offset bytes from the beginning of the buffer
 */
record MemoryPlace(Program.Buffer buffer, long offset) {}
