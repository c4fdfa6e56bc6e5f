import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BatchModel, batchRate, p99, runBatchModel, type Second } from './batch-model.contract.js';

/**
 * What is missing to the target shrinks by (T − i) / 2T with each step of half a second: with interactive load at .65 by a
 * tenth, so that after 20 s, the climb from 10 a second included, a twentieth of it is left.
 */
const SETTLING_SECONDS = 20;
const PHASE_MS = 40_000;
const TARGET = 0.8;

interface Report {
  /** What batches got of what was left over. */
  readonly share: number;
  /** The least and the most they got in five seconds, against their average. */
  readonly lowest: number;
  readonly highest: number;
  /** p99 of interactive requests, against the same without batches. */
  readonly slowdown: number;
}

/** One report for each phase, when the pace has settled. */
function reportsOf(model: BatchModel): Report[] {
  const withBatch = runBatchModel(model);
  const without = runBatchModel({ ...model, noBatch: true });
  return model.phases.map(({ interactive }, at) => {
    const phase = (seconds: Second[]) =>
      seconds.slice((at * PHASE_MS) / 1_000 + SETTLING_SECONDS, ((at + 1) * PHASE_MS) / 1_000);
    const settled = phase(withBatch);
    const mean = batchRate(settled);
    const windows: number[] = [];
    for (let from = 0; from + 5 <= settled.length; from += 5)
      windows.push(batchRate(settled.slice(from, from + 5)) / mean);
    return {
      share: mean / ((TARGET - interactive) * (model.workers / model.serviceMs) * 1_000),
      lowest: Math.min(...windows),
      highest: Math.max(...windows),
      slowdown: p99(settled) / p99(phase(without)),
    };
  });
}

function phasesOf(...loads: number[]): BatchModel['phases'] {
  return loads.map((interactive) => ({ interactive, ms: PHASE_MS }));
}

const PACE = { maxUnderWay: 1_000 };

describe('a batch beside interactive requests', () => {
  it('gets what is left over of a service that says how full it is, evenly, and slows nobody down', () => {
    const load = fc.integer({ min: 20, max: 65 }).map((percent) => percent / 100);
    const service = fc.record({
      workers: fc.integer({ min: 40, max: 120 }),
      serviceMs: fc.integer({ min: 20, max: 60 }),
      loads: fc.array(load, { minLength: 3, maxLength: 3 }),
      criticalFirst: fc.boolean(),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(service, ({ loads, ...model }) => {
        const reports = reportsOf({ ...model, phases: phasesOf(...loads), isReporting: true, pace: PACE });
        for (const { share, lowest, highest, slowdown } of reports) {
          expect(share).toBeGreaterThan(0.9);
          expect(share).toBeLessThan(1.1);
          expect(lowest).toBeGreaterThan(0.85);
          expect(highest).toBeLessThan(1.15);
          expect(slowdown).toBeLessThan(1.12);
        }
      }),
      { numRuns: 5 },
    );
  }, 60_000);

  it.each([
    ['grows slow', {}],
    ['refuses', { isRefusing: true, pace: { ...PACE, latencyFactor: 50 } }],
    ['grows slow and refuses', { isRefusing: true }],
  ])(
    'gets about that of a service that says nothing and %s',
    (_, given) => {
      const model = { workers: 50, serviceMs: 20, criticalFirst: true, pace: PACE, ...given };
      for (const { share, lowest, highest, slowdown } of reportsOf({
        ...model,
        phases: phasesOf(0.3, 0.6, 0.1),
      }).slice(1)) {
        expect(share).toBeGreaterThan(0.9);
        expect(lowest).toBeGreaterThan(0.6);
        expect(highest).toBeLessThan(1.4);
        expect(slowdown).toBeLessThan(1.12);
      }
    },
    30_000,
  );

  it('steps back within two seconds when interactive requests need the room', () => {
    const seconds = runBatchModel({
      workers: 50,
      serviceMs: 20,
      phases: phasesOf(0.1, 0.7),
      isReporting: true,
      criticalFirst: true,
      pace: PACE,
    });
    const jump = PHASE_MS / 1_000;
    const room = 0.3 * 2_500;
    expect(batchRate(seconds.slice(jump - 5, jump))).toBeGreaterThan(1_600);
    expect(seconds[jump + 1]!.rate).toBeLessThan(1.2 * room);
    const calm = p99(seconds.slice(20, jump));
    expect(p99(seconds.slice(jump, jump + 5)) / calm).toBeLessThan(1.2);
  });

  it('never stands still, however full the service is', () => {
    const seconds = runBatchModel({
      workers: 50,
      serviceMs: 20,
      phases: phasesOf(0.98),
      isReporting: true,
      pace: { ...PACE, leastPerSecond: 4 },
    });
    expect(batchRate(seconds.slice(SETTLING_SECONDS))).toBeGreaterThan(3);
    expect(seconds.at(-1)!.rate).toBeLessThan(50);
  });
});
