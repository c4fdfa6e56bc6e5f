import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEGRADING_THRESHOLDS, refusalOrder, Thresholds } from '../admission/index.js';
import { CRITICALITIES, type Criticality } from '../criticality.js';
import { QuotaEnforcement } from '../quota/index.js';
import { SeededRandom } from '../seeded-random.js';
import { VirtualLoop } from '../virtual-loop.contract.js';
import type { Refusal } from './refusal.js';
import { type ModelRequest, REQUEST, ServerModel, type ServerOptions } from './server-model.contract.js';
import { Ticket } from './ticket.js';

type Result = 'served' | 'degraded' | Refusal;

const ignore = () => {};
const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({ ...REQUEST, end: ignore, ...given });

function make(options: Partial<ServerOptions> = {}) {
  const loop = new VirtualLoop();
  const server = new ServerModel(loop, { serviceMs: 10, ...options });
  return { loop, server, ...server };
}

/** Let in, or the test is wrong. */
function ticketOf(arrived: Ticket<ModelRequest> | Refusal): Ticket<ModelRequest> {
  if (!(arrived instanceof Ticket)) throw new Error(`refused: ${arrived.reason}`);
  return arrived;
}

describe('a gate', () => {
  it('lets in, runs as many as may, and says how loaded it is', () => {
    const { gate } = make();
    const first = ticketOf(gate.arrive(request(), 0));
    const second = ticketOf(gate.arrive(request(), 0));
    expect([gate.inFlight, gate.waiting]).toEqual([2, 2]);
    expect(gate.take(0)).toBe(first);
    expect(gate.take(0)).toBeUndefined(); // one worker
    expect(first).toMatchObject({ state: 'running', startedMs: 0, isDegraded: false });
    gate.finish(first, false, 0.01, 10);
    expect(gate.take(10)).toBe(second);
    gate.finish(second, true, 0.01, 20);
    expect(gate.take(20)).toBeUndefined();
    expect(gate.inFlight).toBe(0);
    // Two served, one of them an error, which says nothing about latency: the other arrived at 0 in flight.
    expect(gate.loadReport(20)).toEqual({
      applicationUtilization: expect.any(Number),
      requestsPerSecond: 2,
      errorsPerSecond: 1,
      inFlight: 0,
      latencyMs: 10,
    });
    expect(make().gate.loadReport(0)).not.toHaveProperty('latencyMs');
  });

  it('refuses while it starts and when it is closed, and serves as a lame duck', () => {
    const { gate } = make();
    for (const [state, expected] of [
      ['starting', { reason: 'not-ready', answer: 'task-overloaded' }],
      ['closed', { reason: 'not-ready', answer: 'task-overloaded' }],
    ] as const) {
      gate.state = state;
      expect(gate.arrive(request(), 0)).toEqual(expected);
    }
    gate.state = 'lame-duck';
    expect(gate.arrive(request(), 0)).toBeInstanceOf(Ticket);
  });

  it('does not take in what nobody waits for any more', () => {
    const { gate } = make();
    expect(gate.arrive(request({ deadlineMs: 5 }), 5)).toEqual({ reason: 'deadline', answer: 'late' });
  });

  it('refuses a customer over its quota with an answer of its own', () => {
    const quota = new QuotaEnforcement({
      customers: [{ customer: 'c', perSecond: 0.001 }],
      everyoneElse: { perSecond: 1e9 },
    });
    const { gate } = make({ quota });
    let refused: unknown;
    for (let now = 0; now < 20_000 && refused === undefined; now += 20) {
      const arrived = gate.arrive(request(), now);
      if (arrived instanceof Ticket) gate.finish(gate.take(now)!, false, 1, now + 10);
      else refused = arrived;
    }
    expect(refused).toEqual({ reason: 'quota', answer: 'limited' });
    expect(gate.arrive(request({ customer: 'other' }), 20_000)).toBeInstanceOf(Ticket);
  });

  it('drops what expired in the queue when its turn comes, and tells', () => {
    const results: Result[] = [];
    const { gate } = make();
    gate.arrive(request(), 0);
    gate.arrive(request({ deadlineMs: 5, end: (result) => results.push(result) }), 0);
    gate.finish(gate.take(0)!, false, 0, 10);
    expect(gate.take(10)).toBeUndefined();
    expect(results).toEqual([{ reason: 'deadline', answer: 'late' }]);
    expect(gate.inFlight).toBe(0);
    // The permit was given back: another can run.
    gate.arrive(request(), 10);
    expect(gate.take(10)).toBeInstanceOf(Ticket);
  });

  it('evicts the less critical when the queue is full, and says which kind of overload it is', () => {
    const results: Result[] = [];
    const { gate } = make({ queue: { maxWaiting: 1 } });
    gate.arrive(request({ criticality: 'SHEDDABLE', end: (result) => results.push(result) }), 0);
    expect(gate.arrive(request({ criticality: 'SHEDDABLE' }), 0)).toEqual({
      reason: 'queue',
      answer: 'task-overloaded',
    });
    expect(gate.arrive(request({ criticality: 'CRITICAL_PLUS' }), 0)).toBeInstanceOf(Ticket);
    expect(results).toEqual([{ reason: 'evicted', answer: 'task-overloaded' }]);
    expect(gate.inFlight).toBe(1);
    // With many retries among the arrivals others are overloaded too.
    for (let index = 0; index < 100; index++)
      gate.arrive(request({ criticality: 'SHEDDABLE', attempt: 2 }), 1);
    expect(gate.arrive(request({ criticality: 'SHEDDABLE' }), 1)).toEqual({
      reason: 'queue',
      answer: 'overloaded-no-retry',
    });
  });

  it('gives everything back when the client goes away', () => {
    const { gate } = make();
    const running = ticketOf(gate.arrive(request(), 0));
    const waiting = ticketOf(gate.arrive(request(), 0));
    gate.take(0);
    gate.abandon(waiting, 0, 1);
    gate.abandon(running, 0.5, 1);
    gate.abandon(running, 0.5, 2); // twice is once
    expect([gate.inFlight, gate.waiting]).toEqual([0, 0]);
    gate.arrive(request(), 3);
    expect(gate.take(3)).toBeInstanceOf(Ticket);
    expect(() => gate.finish(running, false, 0, 4)).toThrow('a ticket was finished that is done');
  });

  it('charges and gives back what the quota counted', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 1e9 } });
    const { gate } = make({ quota, queue: { maxWaiting: 1 } });
    const used = () => quota.explain('c', 0);
    const before = JSON.stringify(used());
    const ticket = ticketOf(gate.arrive(request(), 0));
    gate.arrive(request(), 0); // refused by the queue
    gate.abandon(ticket, 0, 0);
    expect(JSON.stringify(used())).toBe(before);
    const served = ticketOf(gate.arrive(request(), 0));
    gate.take(0);
    gate.abandon(served, 3, 0);
    expect(JSON.stringify(used())).not.toBe(before);
    gate.arrive(request({ criticality: 'SHEDDABLE' }), 0);
    gate.arrive(request({ criticality: 'CRITICAL_PLUS' }), 0); // evicts it
    expect(gate.inFlight).toBe(1);
  });

  it('explains itself in plain data', () => {
    const { gate } = make();
    gate.arrive(request(), 0);
    const explained = gate.explain(0);
    expect(JSON.parse(JSON.stringify(explained))).toMatchObject({ state: 'ready', running: 0, limit: 1 });
    expect(explained.refusedShares.map(({ criticality }) => criticality)).toEqual([...CRITICALITIES]);
  });

  it('owes everybody let in exactly one end, and leaks no permit, whatever happens', () => {
    const event = fc.record({
      kind: fc.constantFrom('arrive', 'arrive', 'arrive', 'take', 'finish', 'abandon', 'wait'),
      criticality: fc.constantFrom(...CRITICALITIES),
      customer: fc.constantFrom('a', 'b', 'c'),
      timeoutMs: fc.constantFrom(1, 30, 10_000),
      attempt: fc.constantFrom(1, 2, 3),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 5 } });
        const { gate } = make({ workers: 3, quota, queue: { maxWaiting: 6 } });
        const open = new Set<Ticket<ModelRequest>>();
        let now = 0;
        for (const { kind, which, criticality, customer, timeoutMs, attempt } of events) {
          const list = [...open];
          const chosen = list[which % Math.max(1, list.length)];
          if (kind === 'wait') now += which % 50;
          if (kind === 'arrive') {
            let ticket: Ticket<ModelRequest> | undefined;
            const end = () => {
              expect(open.delete(ticket!)).toBe(true);
            };
            const order = (which % 100) / 100;
            const arrived = gate.arrive(
              { criticality, customer, attempt, order, deadlineMs: now + timeoutMs, end },
              now,
            );
            if (arrived instanceof Ticket) {
              ticket = arrived;
              open.add(arrived);
            }
          }
          if (kind === 'take') gate.take(now);
          if (kind === 'finish' && chosen?.state === 'running') {
            gate.finish(chosen, which % 3 === 0, 0.01, now);
            open.delete(chosen);
          }
          if (kind === 'abandon' && chosen) {
            gate.abandon(chosen, 0.01, now);
            open.delete(chosen);
          }
          expect(gate.inFlight).toBe(open.size);
          expect(gate.explain(now).running).toBe([...open].filter(({ state }) => state === 'running').length);
        }
        for (const ticket of [...open]) gate.abandon(ticket, 0, now);
        expect([gate.inFlight, gate.waiting, gate.explain(now).running]).toEqual([0, 0, 0]);
      }),
    );
  });
});

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
  /** Tasks of k calls in turn to one leaf of 750/s that is offered 1,500/s: the share of tasks all of whose calls succeed. */
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
