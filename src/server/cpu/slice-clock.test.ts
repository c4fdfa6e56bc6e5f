import { afterEach, describe, expect, it } from 'vitest';
import { enterRequest, withCriticality } from '../../context/index.js';
import { FakeLoop, measured } from './fake-loop.contract.js';

let loop: FakeLoop;
let holds = 0;

function hold({ canRead = true } = {}): FakeLoop {
  loop = new FakeLoop();
  loop.canRead = canRead;
  loop.clock.hold();
  holds = 1;
  return loop;
}

/** Async context is the process's: what is held of it is given back. */
afterEach(() => {
  for (; holds > 0; holds--) loop.clock.release();
});

describe('SliceClock', () => {
  it('charges time to the request whose code runs', () => {
    const [a, b] = [measured(), measured()];
    hold();
    loop.runs(a, 3);
    loop.runs(b, 5);
    loop.runs(a, 7);
    loop.runs(undefined, 0);
    expect([a.cpu.busyMs, b.cpu.busyMs]).toEqual([10, 5]);
  });

  it('charges it as well when calls below have another criticality', () => {
    const a = measured();
    hold();
    const overridden = () => withCriticality('SHEDDABLE', () => loop.runs(undefined, 3));
    enterRequest(a, overridden, undefined, undefined);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(3);
  });

  it('charges nothing to one that is not measured, and no other for it', () => {
    const a = measured();
    hold();
    loop.runs(a, 3);
    loop.runs({ ...measured(), cpu: undefined }, 5);
    loop.runs(a, 0);
    withCriticality('SHEDDABLE', () => loop.runs(undefined, 7));
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(3);
  });

  it('charges nobody for what is nobody’s', () => {
    const a = measured();
    hold();
    loop.runs(undefined, 20);
    loop.runs(a, 3);
    loop.runs(undefined, 20);
    loop.runs(undefined, 20);
    expect(a.cpu.busyMs).toBe(3);
  });

  it('charges no time in which the loop was idle, be it before, between or after', () => {
    const [a, b] = [measured(), measured()];
    hold();
    loop.idles(100);
    loop.runs(a, 3);
    loop.idles(200);
    loop.runs(a, 5);
    loop.idles(300);
    loop.runs(b, 7);
    loop.idles(400);
    loop.runs(undefined, 0);
    expect([a.cpu.busyMs, b.cpu.busyMs]).toEqual([8, 7]);
  });

  it('counts switches, also those to code of the same request', () => {
    const a = measured();
    hold();
    for (const request of [a, a, undefined, undefined]) loop.runs(request, 1);
    expect(loop.clock.switches).toBe(4);
  });

  it('tells how long the loop was busy', () => {
    expect(hold().clock.unreadBusyMs()).toBe(400);
    loop.idles(50);
    loop.works(25);
    expect(loop.clock.unreadBusyMs()).toBe(425);
  });
});

describe('SliceClock.switchTo', () => {
  it('ends the slice of another and returns whose it was', () => {
    const [a, b] = [measured(), measured()];
    const { clock } = hold();
    expect(clock.switchTo(a.cpu)).toBeUndefined();
    loop.works(3);
    expect(clock.switchTo(b.cpu)).toBe(a.cpu);
    loop.works(5);
    expect(clock.switchTo(b.cpu)).toBe(b.cpu);
    expect([clock.isRunning(a.cpu), clock.isRunning(b.cpu)]).toEqual([false, true]);
    expect([a.cpu.busyMs, b.cpu.busyMs]).toEqual([3, 0]);
    expect(clock.switchTo(undefined)).toBe(b.cpu);
    expect(b.cpu.busyMs).toBe(5);
  });

  it('goes back to whose code it is; what is nobody’s stays with the last one', () => {
    const [a, b] = [measured(), measured()];
    const { clock } = hold();
    clock.switchTo(b.cpu);
    enterRequest(a, () => clock.switchBack(), undefined, undefined);
    expect(clock.isRunning(a.cpu)).toBe(true);
    clock.switchTo(b.cpu);
    clock.switchBack();
    expect(clock.isRunning(b.cpu)).toBe(true);
  });
});

describe('SliceClock, of dear requests', () => {
  it('charges no time in which others had the processor', () => {
    const a = measured({ isDear: true });
    const { clock } = hold();
    loop.runs(a, 3);
    loop.waits(10);
    loop.works(1.5);
    loop.runs(undefined, 2);
    expect([a.cpu.readMs, a.cpu.busyMs]).toEqual([4.5, 0]);
    // What a busy millisecond is worth follows from the others.
    expect([clock.readMs, clock.unreadBusyMs()]).toEqual([4.5, 402]);
  });

  it('charges neither that nor idle time when it is asked in between', () => {
    const a = measured({ isDear: true });
    const { clock } = hold();
    loop.runs(a, 3);
    loop.waits(10);
    clock.catchUp(a.cpu);
    expect(a.cpu.readMs).toBe(3);
    loop.works(2);
    loop.idles(7);
    loop.waits(1);
    loop.runs(undefined, 0);
    expect([a.cpu.readMs, a.cpu.busyMs]).toEqual([5, 0]);
  });

  it('does not count what was used before it', () => {
    const a = measured({ isDear: true });
    hold();
    loop.runs(undefined, 50);
    loop.waits(50);
    loop.runs(a, 3);
    loop.runs(undefined, 0);
    expect(a.cpu.readMs).toBe(3);
  });

  it('never charges more than the slice was long, whatever other threads did meanwhile', () => {
    const a = measured({ isDear: true });
    hold();
    loop.runs(a, 3);
    loop.waitedMs -= 20;
    loop.runs(undefined, 0);
    expect(a.cpu.readMs).toBe(3);
  });

  it('does not read short slices, nor again for the begin of one right after another', () => {
    const a = measured({ isDear: true });
    hold();
    loop.runs(a, 0.05);
    loop.runs(undefined, 0.03);
    loop.runs(a, 0.05);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBeCloseTo(0.1, 9);
    expect(loop.readings).toBe(1);
  });

  it('reads nothing for those that are not dear, or where readings come in ticks', () => {
    const [a, b] = [measured(), measured({ isDear: true })];
    hold();
    loop.runs(a, 3);
    loop.waits(10);
    loop.runs(undefined, 0);
    expect([a.cpu.busyMs, loop.readings]).toEqual([13, 0]);
    loop.clock.release();
    hold({ canRead: false });
    loop.runs(b, 3);
    loop.waits(10);
    loop.runs(undefined, 0);
    expect([b.cpu.busyMs, b.cpu.readMs, loop.readings]).toEqual([13, 0, 0]);
  });
});

describe('SliceClock.catchUp', () => {
  it('charges the running request what it has used since it was charged, and nothing to others', () => {
    const [a, b] = [measured(), measured()];
    const { clock } = hold();
    loop.runs(a, 3);
    clock.catchUp(b.cpu);
    expect([a.cpu.busyMs, b.cpu.busyMs]).toEqual([0, 0]);
    clock.catchUp(a.cpu);
    expect([a.cpu.busyMs, b.cpu.busyMs]).toEqual([3, 0]);
    loop.works(2);
    loop.runs(b, 0);
    expect(a.cpu.busyMs).toBe(5);
  });

  it('leaves idle time out, and takes it off once only', () => {
    const a = measured();
    const { clock } = hold();
    loop.runs(a, 3);
    loop.idles(100);
    loop.runs(a, 5);
    clock.catchUp(a.cpu);
    clock.catchUp(a.cpu);
    expect(a.cpu.busyMs).toBe(8);
    loop.works(1);
    loop.idles(100);
    loop.runs(a, 2);
    clock.catchUp(a.cpu);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(11);
  });

  it('charges nothing should the two clocks disagree, and what comes after that', () => {
    const a = measured();
    const { clock } = hold();
    loop.runs(a, 3);
    loop.idleTimeMs += 10;
    loop.runs(a, 0);
    clock.catchUp(a.cpu);
    expect(a.cpu.busyMs).toBe(0);
    loop.works(4);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(4);
  });
});

describe('SliceClock.hold', () => {
  it('nests, and the last to release takes the hooks away', () => {
    loop = new FakeLoop();
    expect(loop.isHooked).toBe(false);
    for (const isHooked of [true, true]) {
      loop.clock.hold();
      expect(loop.isHooked).toBe(isHooked);
    }
    loop.clock.release();
    expect(loop.isHooked).toBe(true);
    loop.clock.release();
    expect(loop.isHooked).toBe(false);
  });

  it('charges with the last release what runs just now, and nothing that comes later', () => {
    const a = measured();
    const { clock } = hold();
    clock.hold();
    loop.runs(a, 3);
    clock.release();
    expect([a.cpu.busyMs, clock.isRunning(a.cpu)]).toEqual([0, true]);
    clock.release();
    holds = 0;
    expect([a.cpu.busyMs, clock.isRunning(a.cpu)]).toEqual([3, false]);
    loop.works(50);
    loop.idles(50);
    hold();
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(3);
  });

  it('takes up anew without what passed meanwhile', () => {
    const a = measured();
    const { clock } = hold();
    loop.runs(a, 3);
    clock.release();
    loop.works(50);
    loop.idles(50);
    clock.hold();
    loop.runs(a, 5);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(8);
  });
});

describe('SliceClock.look', () => {
  it('finds a loop saturated that is busy: short slices keep their idle time, the next long one makes up for it', () => {
    const [a, b] = [measured(), measured()];
    hold();
    loop.saturate();
    loop.runs(a, 0.02);
    loop.idles(0.02);
    loop.runs(b, 1);
    expect(a.cpu.busyMs).toBeCloseTo(0.04, 9);
    loop.runs(undefined, 0);
    expect(b.cpu.busyMs).toBeCloseTo(0.98, 9);
  });

  it('asks long slices how much of them was idle even then', () => {
    const a = measured();
    hold();
    loop.saturate();
    loop.runs(a, 0.02);
    loop.idles(10);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBeCloseTo(0.02, 9);
  });

  it.each([
    [40, 'a busy loop', 0.04],
    [60, 'one that idles for more than a twentieth', 0.02],
  ])('with %d ms of 1,000 idle it is %s', (idleMs, _, chargedMs) => {
    const a = measured();
    const { clock } = hold();
    loop.saturate();
    loop.works(1_000 - idleMs);
    loop.idles(idleMs);
    clock.look();
    loop.runs(undefined, 1);
    loop.runs(a, 0.02);
    loop.idles(0.02);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBeCloseTo(chargedMs, 9);
  });
});
