package dev.headrace.golden;

import dev.headrace.PipelineException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Which of TensorFlow's codes an error of ours stands for. */
final class ErrorKind {
  private ErrorKind() {}

  static String of(Throwable error) {
    return switch (error) {
      case PipelineException failed when failed.getCause() != null -> of(failed.getCause());
      case NoSuchFileException _ -> "NOT_FOUND";
      case IOException _ -> "DATA_LOSS";
      case IllegalArgumentException _, ArithmeticException _ -> "INVALID_ARGUMENT";
      case IllegalStateException _ -> "FAILED_PRECONDITION";
      default -> error.getClass().getName();
    };
  }

  static List<String> of(List<PipelineException> errors) {
    return errors.stream().map(ErrorKind::of).toList();
  }
}
