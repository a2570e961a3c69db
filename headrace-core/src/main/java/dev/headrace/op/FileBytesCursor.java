package dev.headrace.op;

import dev.headrace.spi.Context;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.StoredFile;
import java.io.IOException;

/** Reads files whose records are found by looking at their bytes: lines, rows, fixed lengths. */
abstract class FileBytesCursor extends FileCursor<FileBytes> {
  private final InputFiles inputs;

  FileBytesCursor(Context context, InputFiles inputs, FileListing listing) {
    super(context, listing);
    this.inputs = inputs;
  }

  @Override
  final FileBytes open(StoredFile file) throws IOException {
    return new FileBytes(file, inputs.compression(), context);
  }
}
