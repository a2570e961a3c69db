package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A generated kernel, with what makes the table of its rows. Those in use are kept: batches of one
 * pipeline are alike.
 *
 * <p><b>Threading:</b> immutable.
 */
final class Kernel {
  /** So many are kept; who has more structures than that generates them again. */
  private static final int MOST_KEPT = 1_000;

  private static final int MOST_ROWS = 65_535;

  private static final Map<String, Kernel> KEPT = new ConcurrentHashMap<>();

  private final String text;
  private final String entry;
  private final RowRecord.Layout layout;

  private Kernel(String text, String entry, RowRecord.Layout layout) {
    this.text = text;
    this.entry = entry;
    this.layout = layout;
  }

  /** The kernel for a job, and for all that are like it. */
  static Kernel of(Job job) {
    Kernel known = KEPT.get(job.key());
    if (known != null) {
      return known;
    }
    if (KEPT.size() >= MOST_KEPT) {
      KEPT.clear();
    }
    Kernel made = generate(job);
    KEPT.put(job.key(), made);
    return made;
  }

  private static Kernel generate(Job job) {
    Ptx ptx = new Ptx();
    Map<Object, Integer> numbers = new IdentityHashMap<>();
    for (Object subject : job.subjects()) {
      numbers.put(subject, numbers.size());
    }
    RowRecord record = new RowRecord(ptx, numbers);
    job.generate(new Code(ptx, record, job.isWide()));
    String text = ptx.text(job.key(), job.entry(), Job.THREADS, RowRecord.PARAMETER);
    return new Kernel(record.resolve(text), job.entry(), record.layout());
  }

  /** The launches for some jobs of this kernel's structure: one, unless there are very many. */
  List<Program.Launch> launches(List<Job> jobs) {
    List<Program.Launch> launches = new ArrayList<>();
    for (int from = 0; from < jobs.size(); from += MOST_ROWS) {
      List<Job> some = jobs.subList(from, Math.min(jobs.size(), from + MOST_ROWS));
      long blocks = some.stream().mapToLong(job -> job.blocks(some.size())).max().orElseThrow();
      Program.Table table = layout.table(some.stream().map(Job::subjects).toList());
      launches.add(
          new Program.Launch(
              text,
              entry,
              Math.toIntExact(blocks),
              some.size(),
              1,
              Job.THREADS,
              1,
              0,
              List.of(table)));
    }
    return launches;
  }
}
