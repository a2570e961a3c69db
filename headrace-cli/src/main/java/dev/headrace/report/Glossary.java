package dev.headrace.report;

/** How the numbers of the page were made. */
final class Glossary {
  private Glossary() {}

  static Markup text() {
    return new Markup(
        """
        <section>
        <details><summary><h2>How the numbers were made</h2></summary>
        <dl class="glossary">
        <dt>accelerator utilisation</dt><dd>The time of the training steps over all time, as MLPerf Storage counts it. \
        The rest is waiting for data.</dd>
        <dt>of its time</dt><dd>How long a worker of the operator was inside it; for an operator without workers, \
        how long the thread that runs it was. 100 % on one thread is a limit, unless more threads are given.</dd>
        <dt>each</dt><dd>Wall time of one element in this operator alone, without what it pulls from. It is divided \
        into computing (the thread's CPU time), waiting (for a disk, a lock, a sleep), and ready to compute but without a core.</dd>
        <dt>the limit</dt><dd>What has to become faster for the whole to become faster. Speeding up anything else gains nothing.</dd>
        <dt>predicted</dt><dd>A model of this run says how fast the whole would be with the change: the slowest of step, \
        operators on the cores there are, parts that only one thread at a time can do, and the bus to the device.</dd>
        <dt>measured</dt><dd>The change was made and the pipeline was run again for as long.</dd>
        <dt>buffer</dt><dd>Elements that are ready before they are asked for. A buffer that is mostly empty lies behind the \
        limit; one that is mostly full lies before it.</dd>
        <dt>delivered</dt><dd>What the training loop got. If the last operator makes batches, an element is a batch.</dd>
        <dt>start-up</dt><dd>Opening and the first element are not part of the numbers above.</dd>
        </dl>
        </details>
        </section>
        """);
  }
}
