import { afterEach, describe, expect, it } from 'vitest';
import { enterRequest, withCriticality } from '../../context/index.js';
import { CpuLedger } from './cpu-ledger.js';
import { type Metered, RequestCpu } from './metered.js';
import { SliceClock } from './slice-clock.js';

interface MeasuredRequest extends Metered {
  readonly cpu: RequestCpu;
}

const books = new CpuLedger(10, 10, 0, 0, 0);

function measured(): MeasuredRequest {
  const request = { route: '/a', customer: 'mail', criticality: 'CRITICAL' } as Metered;
  request.cpu = new RequestCpu(request, books, { post() {} }, 0);
  return request as MeasuredRequest;
}

/** An event loop that works and idles as it is told. */
class FakeLoop {
  nowMs = 1_000;
  idleTimeMs = 600;
  isHooked = false;
  #onSwitch = () => {};
  readonly clock = new SliceClock(
    { now: () => this.nowMs, idleMs: () => this.idleTimeMs },
    (onSwitch: () => void) => {
      this.#onSwitch = onSwitch;
      const hook = (isHooked: boolean) => {
        this.isHooked = isHooked;
      };
      return { enable: () => hook(true), disable: () => hook(false) };
    },
  );

  /** A callback of the request, or of nobody. */
  runs(request: Metered | undefined, busyMs: number): void {
    if (request === undefined) this.#onSwitch();
    else enterRequest(request, this.#onSwitch, undefined, undefined);
    this.nowMs += busyMs;
  }

  works(busyMs: number): void {
    this.nowMs += busyMs;
  }

  idles(idleMs: number): void {
    this.nowMs += idleMs;
    this.idleTimeMs += idleMs;
  }

  /** It has been busy for so long that its utilization is 1. */
  saturate(): void {
    this.clock.look();
    this.works(1_000);
    this.clock.look();
  }
}

let loop: FakeLoop;
let holds = 0;

function hold(): FakeLoop {
  loop = new FakeLoop();
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
    expect(hold().clock.busyMs()).toBe(400);
    loop.idles(50);
    loop.works(25);
    expect(loop.clock.busyMs()).toBe(425);
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

describe('SliceClock.unchargedMs', () => {
  it('is what the running request has used since it was charged, and 0 for others', () => {
    const [a, b] = [measured(), measured()];
    const { clock } = hold();
    loop.runs(a, 3);
    expect([clock.unchargedMs(a.cpu), clock.unchargedMs(b.cpu)]).toEqual([3, 0]);
    loop.works(2);
    expect(clock.unchargedMs(a.cpu)).toBe(5);
    loop.runs(b, 0);
    expect([clock.unchargedMs(a.cpu), a.cpu.busyMs]).toEqual([0, 5]);
  });

  it('leaves idle time out, and takes it off once only', () => {
    const a = measured();
    const { clock } = hold();
    loop.runs(a, 3);
    loop.idles(100);
    loop.runs(a, 5);
    expect(clock.unchargedMs(a.cpu)).toBe(8);
    expect(clock.unchargedMs(a.cpu)).toBe(8);
    loop.works(1);
    loop.idles(100);
    loop.runs(a, 2);
    expect(clock.unchargedMs(a.cpu)).toBe(11);
    loop.runs(undefined, 0);
    expect(a.cpu.busyMs).toBe(11);
  });

  it('is never below 0 should the two clocks disagree, and what comes after that is charged', () => {
    const a = measured();
    const { clock } = hold();
    loop.runs(a, 3);
    loop.idleTimeMs += 10;
    loop.runs(a, 0);
    expect(clock.unchargedMs(a.cpu)).toBe(0);
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
