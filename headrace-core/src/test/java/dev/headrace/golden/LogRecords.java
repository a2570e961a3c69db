package dev.headrace.golden;

import dev.headrace.data.Log;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What a logger is told while this is open. */
public final class LogRecords extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  private LogRecords(Logger logger) {
    this.logger = logger;
  }

  public static LogRecords of(String name) {
    Log.forgetWarnings(); // or what another test caused would not be told
    LogRecords records = new LogRecords(Logger.getLogger(name));
    records.logger.addHandler(records);
    return records;
  }

  /** Warnings, in order. */
  public List<String> messages() {
    return records.stream()
        .filter(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogRecord::getMessage)
        .toList();
  }

  /** Warnings, in order, with their parameters filled in. */
  public List<String> records() {
    return records.stream()
        .filter(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
        .map(new SimpleFormatter()::formatMessage)
        .toList();
  }

  @Override
  public void publish(LogRecord record) {
    records.add(record);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
