package dev.headrace.op;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Id;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Meter;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;
import java.util.Objects;

/**
 * Copies the tensors of its input's elements to a device, on a thread of its own and while the
 * consumer works on the element before.
 *
 * <p>Strings, and elements that are no structures of tensors, stay on the host. An element's device
 * memory is taken again when the consumer asks for the next one; {@code keep()} holds it longer.
 * Where another operator than take or prefetch follows, the garbage collector frees it.
 *
 * <p>An error of the device ends the pipeline.
 *
 * @param device to which device
 * @param buffer how many batches to hold on the device, the consumer's included; AUTOTUNE begins
 *     with 2, one to work on and one on its way, and takes more where the ring was full and ran
 *     empty
 * @param functions what to compute there of each element, one after the other: they are given
 *     tensors on the device and return deferred ones
 */
public record PrefetchToDeviceOp(
    Op input, Device device, @Knob int buffer, List<Fn<Object, Object>> functions, Site site)
    implements Op {
  private static final int DOUBLE_BUFFER = 2;
  private static final int TRIPLE_BUFFER = 3;

  public PrefetchToDeviceOp {
    functions = List.copyOf(functions);
    Objects.requireNonNull(device, "prefetchToDevice: expected a device, but got null");
    if (buffer < 1 && buffer != Knob.AUTOTUNE) {
      throw new IllegalArgumentException(
          "prefetchToDevice: expected a buffer of at least 1 batch or AUTOTUNE, but got " + buffer);
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    Traits plain =
        Traits.PLAIN.asOneToOne().asKeepingElements().withInputIn(device::allocatePinned);
    return functions.isEmpty() ? plain.asShapingNothing() : plain;
  }

  /** An element by its place stays on the host. */
  @Override
  public Access access() {
    Access all = input.access();
    return functions.isEmpty()
        ? all
        : Access.over(List.of(all), all::size, index -> applied(all.at(index)));
  }

  private Object applied(Object element) throws Exception {
    Object result = element;
    for (Fn<Object, Object> function : functions) {
      result = Objects.requireNonNull(function.apply(result), "the function returned null");
    }
    return result;
  }

  @Override
  public Cursor open(Context context) {
    return new ReceivingCursor(context, this);
  }

  /** What the consumer pulls: waits until what was sent has arrived. */
  private static final class ReceivingCursor extends Cursor {
    private final Transfers transfers;
    private final Cursor source;

    /** Whether something was asked for, so that elements may be under way. */
    private boolean begun;

    ReceivingCursor(Context context, PrefetchToDeviceOp op) {
      super(context);
      boolean isTuned = op.buffer == Knob.AUTOTUNE;
      // One to work on, one on its way, and one that is made ready where functions need that.
      int least = op.functions.isEmpty() ? DOUBLE_BUFFER : TRIPLE_BUFFER;
      int size = isTuned ? least : op.buffer;
      DeviceRing ring = context.shared(() -> new DeviceRing(op.device, size, isTuned));
      this.transfers = new Transfers(context, ring, op.functions);
      Cursor preparing = new PreparingCursor(context, context.open(op.input), transfers);
      // What functions need of the host is done for one batch while the one before is queued.
      boolean inTwo = !op.functions.isEmpty() && !context.debug();
      Cursor sending =
          new SendingCursor(
              context, inTwo ? context.readAhead(preparing, 1) : preparing, transfers);
      this.source =
          context.debug()
              ? sending
              : context.readAhead(sending, isTuned ? DeviceRing.LONGEST : size);
    }

    /** One element at a time: the consumer gives one device batch back before it gets the next. */
    @Override
    protected void produce(Chunk out, int max) {
      begun = true;
      transfers.ask(true);
      try {
        source.fill(out, 1);
      } finally {
        transfers.ask(false);
      }
      if (out.isEmpty()) {
        DeviceException failure = transfers.end();
        if (failure != null) {
          throw failure;
        }
      } else if (out.item(0) instanceof Transfer transfer) {
        out.replace(0, transfers.receive(transfer, out.id(0)));
      }
    }

    @Override
    public boolean isReady() {
      begun = true;
      return source.isReady() && transfers.isReady();
    }

    @Override
    public Cursor readingAhead() {
      return source;
    }

    @Override
    public void skip(long count) {
      if (begun) {
        super.skip(count); // what is under way has device memory to give back
      } else {
        source.skip(count);
      }
    }

    @Override
    protected State position() {
      return source.save();
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state);
    }

    @Override
    public void close() {
      transfers.close(source);
    }
  }

  /** What the operator's own threads pull: a step of each element's way to the device. */
  private abstract static class StepCursor extends Cursor {
    private final Cursor source;
    private boolean over;

    StepCursor(Context context, Cursor source) {
      super(context, new Meter());
      this.source = source;
    }

    /**
     * Does the step.
     *
     * @throws DeviceException if the device cannot; it must not be asked again
     */
    abstract Object step(Object element, Id id);

    /** One at a time: the next one may have to wait until this one was consumed. */
    @Override
    protected void produce(Chunk out, int max) {
      if (over) {
        return;
      }
      source.fill(out, 1);
      if (out.isEmpty() || out.isFailure(0)) {
        return;
      }
      Object element = out.item(0);
      try {
        Object sent = step(element, out.id(0));
        if (sent != element) {
          out.replace(0, sent);
        }
      } catch (DeviceException e) {
        over = true;
        out.replace(0, new Failure(context.path(), out.id(0), e, true));
      }
    }

    @Override
    public void skip(long count) {
      source.skip(count);
    }

    @Override
    public boolean isReady() {
      return source.isReady();
    }

    @Override
    protected State position() {
      return source.save();
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state);
    }

    @Override
    public void close() {
      source.close();
    }
  }

  /** Makes each element ready. */
  private static final class PreparingCursor extends StepCursor {
    private final Transfers transfers;

    PreparingCursor(Context context, Cursor source, Transfers transfers) {
      super(context, source);
      this.transfers = transfers;
    }

    @Override
    Object step(Object element, Id id) {
      return transfers.send(element, id);
    }
  }

  /** Sends each element on its way. */
  private static final class SendingCursor extends StepCursor {
    private final Transfers transfers;

    SendingCursor(Context context, Cursor source, Transfers transfers) {
      super(context, source);
      this.transfers = transfers;
    }

    @Override
    Object step(Object element, Id id) {
      if (element instanceof Transfer transfer) {
        transfers.queue(transfer);
      }
      return element;
    }
  }
}
