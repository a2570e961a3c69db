package dev.headrace.op;

import dev.headrace.spi.Context;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Reads files whose records are found by looking at their bytes: lines, rows, fixed lengths. */
abstract class FileBytesCursor extends FileCursor<FileBytes> {
  private final InputFiles inputs;

  FileBytesCursor(Context context, InputFiles inputs, FileListing listing) {
    super(context, listing);
    this.inputs = inputs;
  }

  @Override
  final FileBytes open(Path path) throws IOException {
    return new FileBytes(path, inputs.compression(), context);
  }
}
