import { describe, expect, it } from 'vitest';
import { coordinator, LIMITS, report, settled } from './coordinated.contract.js';
import { QUOTA_COORDINATOR_DEFAULTS, QuotaCoordinator } from './quota-coordinator.js';

describe('QuotaCoordinator', () => {
  it('listens before it speaks: to as many as there were, or for a while', () => {
    const made = new QuotaCoordinator(LIMITS);
    made.begin(1, 2, 0);
    expect(made.divide(0)).toBeUndefined();
    made.report('x', report({ a: 1 }), 0, 0);
    expect(made.divide(0)).toBeUndefined();
    expect(made.snapshot(0)).toMatchObject({ isLearning: true, backends: 1 });
    made.report('y', report({ a: 1 }), 0, 10);
    expect(made.divide(10)).toMatchObject({ backends: 2, sequence: 1 });
    // Nobody says how many there are.
    made.begin(2, 0, 1_000);
    made.report('x', report({ a: 1 }), 0, 2_400);
    expect(made.divide(2_499)).toBeUndefined();
    expect(made.divide(2_500)).toMatchObject({ token: 2, sequence: 1, backends: 1 });
    // Nobody is there.
    made.begin(3, 0, 3_000);
    expect(made.divide(9_000)).toBeUndefined();
    made.report('x', report({ a: 1 }), 0, 9_000);
    expect(made.divide(9_000)).toMatchObject({ backends: 1 });
  });

  it('does not count backends that are silent, by the age of what they said', () => {
    const made = coordinator();
    made.report('x', report({ a: 1 }), 0, 0);
    made.report('y', report({ a: 1 }), 900, 0);
    made.report('z', report({ a: 1 }), 0, 0);
    expect(made.divide(100)).toMatchObject({ backends: 3 });
    expect(made.divide(101)).toMatchObject({ backends: 2 });
  });

  it('listens again when most are gone at once', () => {
    const made = coordinator({ learningMs: 1_500 });
    const all = ['p', 'q', 'r', 's'];
    for (const name of all) made.report(name, report({ a: 1 }), 0, 1_500);
    expect(made.divide(1_500)).toMatchObject({ backends: 4 });
    made.report('p', report({ a: 1 }), 0, 4_000);
    expect(made.divide(4_000)).toBeUndefined();
    for (const name of all) made.report(name, report({ a: 1 }), 0, 4_100);
    expect(made.divide(4_100)).toMatchObject({ backends: 4, sequence: 2 });
    // They are gone.
    made.report('p', report({ a: 1 }), 0, 6_000);
    expect(made.divide(6_000)).toBeUndefined();
    made.report('p', report({ a: 1 }), 0, 7_500);
    expect(made.divide(7_500)).toMatchObject({ backends: 1 });
  });

  it('goes on when half of them are gone', () => {
    const made = coordinator({ learningMs: 1_500 });
    for (const name of ['p', 'q', 'r', 's']) made.report(name, report({ a: 1 }), 0, 1_500);
    expect(made.divide(1_500)).toMatchObject({ backends: 4 });
    for (const name of ['p', 'q']) made.report(name, report({ a: 1 }), 0, 4_000);
    expect(made.divide(4_000)).toMatchObject({ backends: 2, sequence: 2 });
  });

  it('refuses impossible options', () => {
    const made = (options: object) => () => new QuotaCoordinator(LIMITS, options);
    expect(made({ everyMs: 0 })).toThrow('everyMs must be a finite number > 0, got 0');
    expect(made({ learningMs: -1 })).toThrow('learningMs must be a finite number >= 0, got -1');
    expect(made({ maxCustomers: 0 })).toThrow('maxCustomers must be an integer >= 1, got 0');
    expect(made({ maxBackends: 0 })).toThrow('maxBackends must be an integer >= 1, got 0');
    expect(made({ every: 1 })).toThrow('quotaCoordinator has no option "every"');
    expect(Object.isFrozen(QUOTA_COORDINATOR_DEFAULTS)).toBe(true);
  });

  it('bounds backends, and says how many it does not count', () => {
    const made = coordinator({ maxBackends: 2 });
    const reports = Array.from({ length: 4 }, () => report({ a: 1 }));
    expect(settled(made, reports, 0)).toMatchObject({ backends: 2 });
    expect(made.snapshot(0)).toMatchObject({ backends: 2, ignoredBackends: 2 });
    expect(made.snapshot(1_001)).toMatchObject({ ignoredBackends: 0 });
    // It goes on listening to those that it counts.
    settled(made, [report({ a: 5 }), report({ a: 6 })], 0);
    expect(made.snapshot(0).customers[0]).toMatchObject({ customer: 'a', demandPerSecond: 11 });
    // Nor does it keep the names of any number of them.
    for (let name = 0; name < 1_000; name++) made.report(`name-${name}`, report({ a: 1 }), 0, 1_000);
    expect(made.snapshot(1_000).ignoredBackends).toBeLessThanOrEqual(2);
  });

  it('gives backends time to hear of a level before it holds anything against it', () => {
    const made = coordinator({ burstMs: 0 });
    const over = [report({ a: 300 })];
    settled(made, over, 500);
    expect(made.snapshot(500).customers[0]).toMatchObject({ isHeld: true, savings: 0 });
    settled(made, over, 1_000);
    expect(made.snapshot(1_500).customers[0]!.savings).toBeLessThan(0);
  });
});
