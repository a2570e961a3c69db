package dev.headrace.op;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.ForwardingCursor;
import dev.headrace.spi.Id;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Meter;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies the tensors of its input's elements to a device, on a thread of its own and while the
 * consumer works on the element before. Several devices get elements in turn, and after a
 * resumption the first one begins: the turn is no part of the position.
 *
 * <p>Strings, and elements that are no structures of tensors, stay on the host. An element's device
 * memory is taken again when the consumer asks for the next one; {@code keep()} holds it longer.
 * Where another operator than take or prefetch follows, the garbage collector frees it.
 *
 * <p>A tensor that was only cast, and is larger for it, is copied as it was before, and cast there:
 * bytes over the bus are expensive, and casts give the same bits everywhere. Not where functions
 * follow, which are given tensors that lie there: they can cast themselves.
 *
 * <p>An error of a device ends the pipeline.
 *
 * @param devices to which devices; the first element goes to the first of them
 * @param buffer how many batches to hold on each device, the consumer's included; AUTOTUNE begins
 *     with 2, one to work on and one on its way, and takes more where the ring was full and ran
 *     empty
 * @param functions what to compute there of each element, one after the other: they are given
 *     tensors on the device and return deferred ones
 */
public record PrefetchToDeviceOp(
    Op input, List<Device> devices, @Knob int buffer, List<Fn<Object, Object>> functions, Site site)
    implements Op {
  private static final int DOUBLE_BUFFER = 2;
  private static final int TRIPLE_BUFFER = 3;

  public PrefetchToDeviceOp {
    functions = List.copyOf(functions);
    devices.forEach(
        device ->
            Objects.requireNonNull(device, "prefetchToDevice: expected a device, but got null"));
    devices = List.copyOf(devices);
    if (devices.isEmpty()) {
      throw new IllegalArgumentException(
          "prefetchToDevice: expected at least one device, but got none");
    }
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
    // Pinned memory is pinned for all devices of a kind.
    Traits plain =
        Traits.PLAIN
            .asKeepingPlace()
            .asOneToOne()
            .asKeepingElements()
            .with(Duty.ON_DEVICE)
            .withInputIn(devices.getFirst()::allocatePinned);
    return functions.isEmpty()
        ? plain.asShapingNothing().with(casts() ? Deferring.CASTS : Deferring.NEEDS)
        : plain;
  }

  private boolean casts() {
    return functions.isEmpty() && devices.stream().allMatch(Device::computesCasts);
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
  private static final class ReceivingCursor extends ForwardingCursor {
    /** By device. */
    private final List<Transfers> all;

    /** The element that is waited for, and the position before it. */
    private final Chunk arriving = new Chunk();

    private State beforeArriving = State.START;

    /** Whether something was asked for, so that elements may be under way. */
    private boolean begun;

    ReceivingCursor(Context context, PrefetchToDeviceOp op) {
      boolean isTuned = op.buffer == Knob.AUTOTUNE;
      // One to work on, one on its way, and one that is made ready where functions need that.
      int least = op.functions.isEmpty() ? DOUBLE_BUFFER : TRIPLE_BUFFER;
      int size = isTuned ? least : op.buffer;
      DeviceRings rings = context.shared(() -> new DeviceRings(op.devices, size, isTuned));
      List<Transfers> transfers =
          rings.rings().stream()
              .map(ring -> new Transfers(context, ring, op.functions, op.casts()))
              .toList();
      Cursor preparing = new PreparingCursor(context, context.open(op.input), transfers);
      // What functions need of the host is done for one batch while the one before is queued.
      boolean inTwo = !op.functions.isEmpty() && !context.debug();
      Cursor sending =
          new SendingCursor(context, inTwo ? context.readAhead(preparing, 1) : preparing);
      int ahead = transfers.size() * (isTuned ? DeviceRing.LONGEST : size);
      super(context, context.debug() ? sending : context.readAhead(sending, ahead));
      this.all = transfers;
    }

    /** One element at a time: the consumer gives one device batch back before it gets the next. */
    @Override
    protected void produce(Chunk out, int max) {
      begun = true;
      if (arriving.isEmpty()) {
        beforeArriving = source.save();
        all.forEach(transfers -> transfers.ask(true));
        try {
          source.fill(arriving, 1);
        } finally {
          all.forEach(transfers -> transfers.ask(false));
        }
      }
      if (arriving.isEmpty()) {
        for (Transfers transfers : all) {
          DeviceException failure = transfers.end();
          if (failure != null) {
            throw failure;
          }
        }
        return;
      }
      if (!arriving.inLongs() && arriving.item(0) instanceof Transfer transfer) {
        arriving.replace(0, transfer.transfers().receive(transfer, arriving.id(0)));
      }
      out.append(arriving, 0, 1);
      arriving.clear();
    }

    /** With several devices, only when each of them is: whose turn it is, is not known here. */
    @Override
    public boolean isReady() {
      return source.isReady() && all.stream().allMatch(Transfers::isReady);
    }

    @Override
    public void start() {
      begun = true;
      source.start();
    }

    @Override
    public Cursor readingAhead() {
      return source;
    }

    @Override
    public void skip(long count) {
      if (begun) {
        runOver(count); // what is under way has device memory to give back
      } else {
        source.skip(count);
      }
    }

    @Override
    protected State position() {
      return arriving.isEmpty() ? source.save() : beforeArriving;
    }

    @Override
    public void close() {
      List<Runnable> steps = new ArrayList<>();
      all.forEach(transfers -> steps.add(transfers::stop));
      steps.add(source::close);
      all.forEach(transfers -> steps.add(transfers::close));
      DeviceRings.runAll(steps);
    }
  }

  /** What the operator's own threads pull: a step of each element's way to the device. */
  private abstract static class StepCursor extends ForwardingCursor {
    private boolean over;

    StepCursor(Context context, Cursor source) {
      super(context, new Meter(), source);
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
        context.asOne(() -> send(out, element));
      } catch (DeviceException e) {
        over = true;
        out.replace(0, new Failure(context.path(), out.id(0), e, true));
      }
    }

    private void send(Chunk out, Object element) {
      Object sent = step(element, out.id(0));
      if (sent != element) {
        out.replace(0, sent);
      }
    }
  }

  /** Makes each element ready for the device whose turn it is. */
  private static final class PreparingCursor extends StepCursor {
    private final List<Transfers> all;
    private int turn;

    PreparingCursor(Context context, Cursor source, List<Transfers> all) {
      super(context, source);
      this.all = all;
    }

    @Override
    Object step(Object element, Id id) {
      Transfers next = whereItLies(element);
      if (next == null) {
        next = all.get(turn);
        turn = (turn + 1) % all.size();
      }
      return next.send(element, id);
    }

    /** What was cached on one of several devices stays there. */
    private @Nullable Transfers whereItLies(Object element) {
      if (all.size() > 1) {
        for (Transfers transfers : all) {
          if (transfers.hasAlready(element)) {
            return transfers;
          }
        }
      }
      return null;
    }
  }

  /** Sends each element on its way. */
  private static final class SendingCursor extends StepCursor {
    SendingCursor(Context context, Cursor source) {
      super(context, source);
    }

    @Override
    Object step(Object element, Id id) {
      if (element instanceof Transfer transfer) {
        transfer.transfers().queue(transfer);
      }
      return element;
    }
  }
}
