package dev.headrace.spi;

/**
 * A line of a file, with its place for messages.
 *
 * @param file the name of the file
 * @param number from 1
 */
public record FileLine(String file, long number, String text) {
  @Override
  public String toString() {
    return file + ", line " + number;
  }
}
