import { describe, expect, it } from 'vitest';
import { DEGRADING_THRESHOLDS, refusalOrder, Thresholds } from '../admission/index.js';
import type { Criticality } from '../criticality.js';
import { SeededRandom } from '../seeded-random.js';
import { VirtualLoop } from '../virtual-loop.contract.js';
import type { Refusal } from './refusal.js';
import { type ModelRequest, REQUEST, ServerModel, type ServerOptions } from './server-model.contract.js';

type Result = 'served' | 'degraded' | Refusal;

const ignore = () => {};
const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({ ...REQUEST, end: ignore, ...given });

function drawn(classes: [Criticality, number][], draw: number): Criticality {
  let upTo = 0;
  for (const [criticality, share] of classes) {
    upTo += share;
    if (draw < upTo) return criticality;
  }
  return classes[0]![0];
}

/** Poisson arrivals for so long; returns how the requests of the last half ended. */
function offer(
  options: ServerOptions,
  perSecond: number,
  seconds: number,
  classes: [Criticality, number][] = [['CRITICAL', 1]],
) {
  const loop = new VirtualLoop();
  const server = new ServerModel(loop, options);
  const random = new SeededRandom(1);
  const results: { criticality: Criticality; result: Result; tookMs: number }[] = [];
  const arrive = () => {
    loop.after((-Math.log(1 - random.next()) / perSecond) * 1_000, arrive);
    const criticality = drawn(classes, random.next());
    const at = loop.now;
    const end = (result: Result) => {
      if (at >= seconds * 500) results.push({ criticality, result, tookMs: loop.now - at });
    };
    server.send(request({ criticality, order: random.next(), deadlineMs: at + 1_000, end }));
  };
  arrive();
  loop.runUntil(seconds * 1_000);
  const served = results.filter(({ result }) => typeof result === 'string');
  const waits = served.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return {
    goodput: served.length / (seconds / 2),
    p99: waits[Math.floor(waits.length * 0.99)]!,
    degraded: results.filter(({ result }) => result === 'degraded').length / results.length,
    servedShare: (criticality: Criticality) => {
      const all = results.filter((one) => one.criticality === criticality);
      return all.filter(({ result }) => typeof result === 'string').length / all.length;
    },
  };
}

describe('a server behind a gate (SRE ch. 21: it goes on serving what it was provisioned for)', () => {
  it.each([
    [1, 0.96],
    [2, 0.97],
    [10, 0.97],
  ])('at %i × its capacity', (load, least) => {
    const { goodput, p99 } = offer({ serviceMs: 2 }, 500 * load, 8);
    expect(goodput / 500).toBeGreaterThan(least);
    expect(p99).toBeLessThan(120);
  });

  it.each([
    ['1 × 50 ms', { workers: 1, serviceMs: 50 }, 20],
    ['8 × 100 ms', { workers: 8, serviceMs: 100 }, 80],
    ['20 × 100 ms', { workers: 20, serviceMs: 100 }, 200],
  ])('also a slow one, of %s', (_, options, capacity) => {
    for (const [load, least] of [
      [0.5, 0.49],
      [0.9, 0.85],
      [2, 0.93],
      [10, 0.93],
    ] as const) {
      const { goodput } = offer(options, capacity * load, 60);
      expect(goodput / capacity).toBeGreaterThan(least);
    }
  });

  it('refuses sheddable work for critical work in a slow server, too', () => {
    const mix: [Criticality, number][] = [
      ['CRITICAL', 0.3],
      ['SHEDDABLE', 0.7],
    ];
    const { servedShare } = offer({ workers: 1, serviceMs: 50 }, 40, 120, mix);
    expect(servedShare('CRITICAL')).toBeGreaterThan(0.97);
  });

  it('bounds its queue while handlers hang, from whatever state, and recovers at once', () => {
    const loop = new VirtualLoop();
    const server = new ServerModel(loop, { workers: 20, serviceMs: 20 });
    const random = new SeededRandom(1);
    let most = 0;
    let longest = 0;
    const arrive = () => {
      loop.after((-Math.log(1 - random.next()) / 500) * 1_000, arrive);
      const at = loop.now;
      const end = (result: Result) => {
        if (result === 'served' && at > 10_500) longest = Math.max(longest, loop.now - at);
      };
      server.send(request({ order: random.next(), end }));
      most = Math.max(most, server.gate.waiting);
    };
    arrive();
    loop.runUntil(10_000);
    server.hangUntil(40_000);
    loop.runUntil(40_000);
    expect(most).toBeLessThan(100);
    loop.runUntil(50_000);
    // Those that ran when it hung have waited for 30 s; whoever came later waits for a second or two at the most.
    expect(longest).toBeLessThan(31_000);
    expect(server.gate.waiting).toBeLessThan(20);
  });

  it('serves the critical ones in full while they alone fit, under a flood of the others', () => {
    const mix: [Criticality, number][] = [
      ['CRITICAL_PLUS', 0.02],
      ['CRITICAL', 0.05],
      ['SHEDDABLE_PLUS', 0.2],
      ['SHEDDABLE', 0.73],
    ];
    const { goodput, servedShare } = offer({ serviceMs: 2 }, 5_000, 8, mix);
    expect(goodput / 500).toBeGreaterThan(0.97);
    expect(servedShare('CRITICAL_PLUS')).toBeGreaterThan(0.994);
    expect(servedShare('CRITICAL')).toBeGreaterThan(0.994);
    expect(servedShare('SHEDDABLE')).toBeLessThan(0.02);
  });

  it('degrades before it refuses', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    const { degraded } = offer({ serviceMs: 2, thresholds }, 550, 8);
    expect(degraded).toBeGreaterThan(0.2);
  });
});

describe("DAGOR's call tree", () => {
  /**
   * Tasks of k calls in turn to one leaf of 750/s that is offered 1,500/s: the share of tasks all of whose calls
   * succeed.
   */
  function completed(calls: number, orderOf: (traceId: string, random: SeededRandom) => number): number {
    const loop = new VirtualLoop();
    const server = new ServerModel(loop, { serviceMs: 1_000 / 750 });
    const random = new SeededRandom(calls);
    let tasks = 0;
    let complete = 0;
    const call = (traceId: string, left: number, isCounted: boolean) => {
      const end = (result: Result) => {
        if (result !== 'served') return;
        if (left > 1) loop.after(5, () => call(traceId, left - 1, isCounted));
        else if (isCounted) complete++;
      };
      server.send(request({ order: orderOf(traceId, random), end }));
    };
    // 1,500 calls/s if all of them were made: no order can complete more than half of the tasks.
    const tasksPerSecond = 1_500 / calls;
    const arrive = () => {
      loop.after((-Math.log(1 - random.next()) / tasksPerSecond) * 1_000, arrive);
      const isCounted = loop.now >= 4_000 && loop.now < 20_000;
      if (isCounted) tasks++;
      const digits = Array.from({ length: 4 }, () => random.uint32().toString(16).padStart(8, '0'));
      call(digits.join(''), calls, isCounted);
    };
    arrive();
    loop.runUntil(21_000);
    return complete / tasks;
  }

  it.each([1, 2, 3, 4])('%i calls a task: more than 45 in a hundred complete', (calls) => {
    const byTrace = completed(calls, (traceId) => refusalOrder(traceId));
    expect(byTrace).toBeGreaterThan(0.45);
    expect(byTrace).toBeLessThan(0.53);
  });

  it('with chance instead of the trace id many tasks are torn', () => {
    expect(completed(4, (_, random) => random.next())).toBeLessThan(0.4);
  });
});
