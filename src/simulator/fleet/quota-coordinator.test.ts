import { describe, expect, it } from 'vitest';
import { QuotaCoordinator } from './quota-coordinator.js';
import { SmallFleet, small } from './small-fleet.contract.js';

/** What a customer's critical requests may use at each backend, in CPU-seconds a second. */
function limits(model: SmallFleet, customer: string): number[] {
  const { now } = model.fleet.kernel;
  return model.fleet.services[0]!.backends.map(({ process, clock }) => {
    const { limits } = process.guard.quota!.explain(customer, clock.toLocal(now));
    return limits.CRITICAL_PLUS;
  });
}

/** Two backends, of which one is asked for all that `big` wants: 0.2 CPU-seconds a second. */
function asymmetric(everyoneElse = 0.1) {
  const quota = { customers: { big: 0.4 }, everyoneElse, everyMs: 250 };
  const model = new SmallFleet(small({ backends: 2, quota, startMs: 100 }));
  const service = model.fleet.services[0]!;
  new QuotaCoordinator(service, service.spec.quota!, model.fleet).start();
  return model;
}

const sum = (parts: number[]) => parts.reduce((added, part) => added + part, 0);

describe('a quota', () => {
  it('is divided equally until somebody knows better', () => {
    const model = asymmetric();
    model.run(100);
    expect(limits(model, 'big')).toEqual([0.2, 0.2]);
    expect(limits(model, 'somebody')).toEqual([0.05, 0.05]);
  });

  it('follows the demand, and is never more than it is', () => {
    const model = asymmetric();
    // Where a request goes is the turn's choice: every second one is made just to pass the turn on.
    for (let at = 50; at < 3_000; at += 50) {
      model.ask(at, { customer: 'big' });
      model.ask(at, { customer: 'other' });
    }
    model.run(2_990);
    const parts = limits(model, 'big');
    expect(sum(parts)).toBeCloseTo(0.4, 9);
    // 0.2 are wanted at one of them; what is left is divided equally.
    expect(Math.max(...parts)).toBeCloseTo(0.3, 1);
    expect(Math.min(...parts)).toBeCloseTo(0.1, 1);
    // Of one that is not named, the part for everyone else.
    expect(sum(limits(model, 'other'))).toBeCloseTo(0.1, 9);
    expect(limits(model, 'nobody')).toEqual([0.05, 0.05]);
  });

  it('is divided among those that are up', () => {
    const model = asymmetric();
    model.at(100, (model) => model.backend(1).lifecycle.kill(1_000)).run(600);
    expect(limits(model, 'big')[0]).toBeCloseTo(0.4, 9);
    // Back at 1,200: its own part until the next division, and then as all others.
    expect(limits(model.run(1_210), 'big')[1]).toBeCloseTo(0.2, 9);
    expect(limits(model.run(1_300), 'big')).toEqual([0.2, 0.2]);
  });

  it('waits for someone to divide it among when nobody is up', () => {
    const model = asymmetric();
    model
      .at(100, (model) => {
        for (const index of [0, 1]) model.backend(index).lifecycle.kill(1_000);
      })
      .run(1_500);
    expect(limits(model, 'big')).toEqual([0.2, 0.2]);
  });

  it('holds for the whole fleet: what is used is what may be, wherever it is asked for', () => {
    const quota = { customers: { big: 0.5 }, everyoneElse: 100 };
    const fleet = small(
      { backends: 4, quota },
      { customer: 'big', arrivals: { perSecond: 100, process: 'even' } },
    );
    const model = new SmallFleet({ ...fleet, warmupMs: 4_000, durationMs: 4_000 });
    model.fleet.run();
    const { ends, offered } = model.fleet.group('users').traffic.all;
    expect(offered).toBe(400);
    expect(ends.served + ends.limited).toBe(400);
    // 50 a second of 10 ms each.
    expect(ends.served).toBeGreaterThan(180);
    expect(ends.served).toBeLessThan(220);
  });
});
