import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConcurrencyLimiter, customSignal, type LimitSample } from '../admission/index.js';
import { CRITICALITIES, type Criticality } from '../criticality.js';
import { QuotaEnforcement } from '../quota/index.js';
import { VirtualLoop } from '../virtual-loop.contract.js';
import { Gate } from './gate.js';
import type { GateParts } from './gate-parts.js';
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
    // Two served, one of them an error, which says nothing about latency; one latency is too few to go by.
    const report = { requestsPerSecond: 2, errorsPerSecond: 1, inFlight: 0 };
    expect(gate.loadReport(20)).toEqual({ ...report, applicationUtilization: expect.any(Number) });
    for (let now = 20; now < 60; now += 10) {
      const next = ticketOf(gate.arrive(request(), now));
      gate.take(now);
      gate.finish(next, false, 0.01, now + 10);
    }
    expect(gate.loadReport(60).latencyMs).toBe(10);
    expect(make().gate.loadReport(0)).not.toHaveProperty('latencyMs');
  });

  it('runs at once what comes to an idle driver, as if it had waited for no time', () => {
    const step = fc.record({ gapMs: fc.integer({ min: 0, max: 30 }), isIdle: fc.boolean(), ends: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const [direct, queued] = [make({ workers: 2 }).gate, make({ workers: 2 }).gate];
        const running: Ticket<ModelRequest>[][] = [[], []];
        let now = 0;
        for (const { gapMs, isIdle, ends } of steps) {
          now += gapMs;
          const arrived = direct.arrive(request(), now, isIdle);
          const other = queued.arrive(request(), now);
          expect(arrived instanceof Ticket).toBe(other instanceof Ticket);
          if (arrived instanceof Ticket && arrived.state === 'running') running[0]!.push(arrived);
          for (const [at, gate] of [direct, queued].entries()) {
            for (let next = isIdle ? gate.take(now) : undefined; next; next = gate.take(now))
              running[at]!.push(next);
            for (const done of running[at]!.splice(0, ends)) gate.finish(done, false, 0, now + 1);
          }
          now += 1;
          expect(direct.explain(now)).toEqual(queued.explain(now));
          expect(direct.loadReport(now)).toEqual(queued.loadReport(now));
        }
      }),
    );
  });

  it('lets nobody overtake those who wait, and holds back when as many run as may', () => {
    const { gate } = make();
    const first = ticketOf(gate.arrive(request(), 0, true));
    expect(first).toMatchObject({ state: 'running', startedMs: 0 });
    expect(ticketOf(gate.arrive(request(), 0, true)).state).toBe('queued'); // one worker
    gate.finish(first, false, 0.01, 10);
    expect(ticketOf(gate.arrive(request(), 10, true)).state).toBe('queued'); // another is before it
    expect([gate.inFlight, gate.waiting]).toEqual([2, 2]);
  });

  it('does not count who waits for its client, and takes its place back from it once', () => {
    const { gate } = make();
    const first = ticketOf(gate.arrive(request(), 0, true));
    const second = ticketOf(gate.arrive(request(), 0));
    expect(gate.take(0)).toBeUndefined();
    gate.detach(first);
    gate.detach(first);
    gate.detach(second); // it does not run
    expect(gate.take(0)).toBe(second);
    expect([gate.inFlight, gate.explain(0).running]).toEqual([2, 1]);
    gate.finish(first, false, 0, 10);
    expect([gate.inFlight, gate.explain(0).running]).toEqual([1, 1]);
    gate.detach(second);
    gate.abandon(second, 0, 20);
    expect([gate.inFlight, gate.explain(0).running]).toEqual([0, 0]);
  });

  it('tells who has waited too long or past its deadline, though nothing may run', () => {
    const results: Result[] = [];
    const end = (result: Result) => results.push(result);
    const { gate } = make({ queue: { maxAgeMs: 50 } });
    gate.arrive(request(), 0, true);
    gate.arrive(request({ end }), 0);
    gate.arrive(request({ end, deadlineMs: 20 }), 10);
    gate.arrive(request({ end }), 10);
    gate.expire(30);
    expect(results).toEqual([{ reason: 'deadline', answer: 'late' }]);
    gate.expire(5_000); // a server that seems slow is given more time, but not for ever
    expect(results).toHaveLength(3);
    expect(results[2]).toMatchObject({ reason: 'evicted' });
    expect([gate.inFlight, gate.waiting]).toEqual([1, 0]);
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

  it('sends those who wait elsewhere when it closes, and lets what runs end', () => {
    const results: Result[] = [];
    const { gate } = make();
    const end = (result: Result) => results.push(result);
    const running = ticketOf(gate.arrive(request({ end }), 0));
    gate.take(0);
    gate.arrive(request({ end }), 0);
    gate.arrive(request({ end, deadlineMs: 5 }), 0);
    gate.close(10);
    expect(results).toHaveLength(2);
    expect(results).toContainEqual({ reason: 'not-ready', answer: 'task-overloaded' });
    expect(results).toContainEqual({ reason: 'deadline', answer: 'late' });
    expect([gate.state, gate.inFlight, gate.waiting]).toEqual(['closed', 1, 0]);
    gate.finish(running, false, 0, 20);
    expect(gate.inFlight).toBe(0);
    expect(gate.arrive(request(), 20)).not.toBeInstanceOf(Ticket);
  });

  it('does not take in what nobody waits for any more', () => {
    const { gate } = make();
    expect(gate.arrive(request({ deadlineMs: 5 }), 5)).toEqual({ reason: 'deadline', answer: 'late' });
  });

  it('hands back to the quota what that assumed of a request, however long it ran', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 10 } });
    const { gate } = make({ quota });
    quota.isSuspended = true;
    gate.arrive(request(), 0);
    const ticket = gate.take(0)!;
    quota.isSuspended = false;
    gate.finish(ticket, false, 500, 5_000);
    // Let in while quotas did not count: nothing of it is owed.
    expect(quota.explain('c', 5_200).debt).toBe(-20);
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
    expect(gate.arriveAside(request(), 20_000)).toEqual(refused);
    expect(gate.arrive(request({ customer: 'other' }), 20_000)).toBeInstanceOf(Ticket);
    expect(gate.arriveAside(request({ customer: 'other' }), 20_000)).toBeInstanceOf(Ticket);
  });

  describe('whose quotas count from a utilization on', () => {
    const quota = () => new QuotaEnforcement({ everyoneElse: { perSecond: 1 } });
    const gateWith = (given: Partial<GateParts>) => {
      const { parts } = make({ quota: quota(), workers: 1e9 });
      return new Gate<ModelRequest>({ ...parts, ...given }, ignore);
    };
    /** Refused for quota, of a thousand requests of a hundred times what they may use. */
    const refusedFrom = (gate: Gate<ModelRequest>, from: number) => {
      let refused = 0;
      for (let now = from; now < from + 10_000; now += 10) {
        const arrived = gate.arrive(request({ order: ((now * 37) % 1_000) / 1_000 }), now, true);
        if (arrived instanceof Ticket) gate.finish(arrived, false, 1, now);
        else if (arrived.reason === 'quota') refused++;
      }
      return refused;
    };

    it('refuses nobody for quota below it, at once from it on, and for a while after', () => {
      let utilization = 0.69;
      const gate = gateWith({ signal: { name: 'x', utilization: () => utilization }, quotaFrom: 0.7 });
      expect(refusedFrom(gate, 0)).toBe(0);
      utilization = 0.75;
      // Nothing is owed: the two seconds saved up are there, and then the limit holds.
      const passed = 1_000 - refusedFrom(gate, 10_000);
      expect(passed).toBeGreaterThan(5);
      expect(passed).toBeLessThan(20);
      utilization = 0.1;
      expect(refusedFrom(gate, 20_000)).toBeGreaterThan(900);
      expect(refusedFrom(gate, 30_000)).toBe(0);
    });

    it('asks for the utilization once a request', () => {
      let asked = 0;
      const signal = {
        name: 'x',
        utilization: () => {
          asked++;
          return 0.1;
        },
      };
      const gate = gateWith({ signal, quotaFrom: 0.7 });
      gate.arrive(request(), 0);
      expect(asked).toBe(1);
    });

    it('must count before anybody is shed', () => {
      expect(() => gateWith({ quotaFrom: 0.81 })).toThrow('quotaFrom must be from 0 to 0.8, got 0.81');
    });
  });

  it('lets in aside what waits elsewhere, whatever there is to do, but not past its state, deadline or quota', () => {
    const { gate } = make({ signal: customSignal('full', () => 10) });
    expect(gate.arrive(request(), 0)).not.toBeInstanceOf(Ticket);
    const ticket = ticketOf(gate.arriveAside(request(), 0));
    expect(ticket).toMatchObject({ state: 'running', isDetached: true });
    expect(gate.inFlight).toBe(1);
    expect(gate.explain(0).running).toBe(0);
    gate.finish(ticket, false, 0, 5_000);
    expect(gate.inFlight).toBe(0);
    expect(gate.arriveAside(request({ deadlineMs: 10 }), 11)).toMatchObject({ reason: 'deadline' });
    gate.state = 'closed';
    expect(gate.arriveAside(request(), 12)).toMatchObject({ reason: 'not-ready' });
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

  it('tells the concurrency limit of the slot that a request frees whose client has left', () => {
    const { parts } = make();
    const seen: LimitSample[] = [];
    const limiter = new ConcurrencyLimiter({ limit: 1, onSample: (sample) => seen.push({ ...sample }) });
    const gate = new Gate<ModelRequest>({ ...parts, limiter }, ignore);
    const ticket = ticketOf(gate.arrive(request(), 0));
    gate.take(2);
    gate.abandon(ticket, 0, 30);
    // If all callers gave up before their answers, a limit that is too high would otherwise never be found out.
    expect(seen.at(-1)).toEqual({ now: 30, inFlight: 1, isDone: true, latencyMs: 28 });
  });

  it('says something else of its load than it decides by, if told to', () => {
    const { parts } = make();
    const load = customSignal('cpu', () => 0.25);
    expect(new Gate({ ...parts, load }, ignore).loadReport(0).applicationUtilization).toBe(0.25);
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

  describe('and a quota: what was let in by it and refused later, or abandoned, never was', () => {
    /**
     * A customer just at its limit, at a known cost of 0.1 a request; `disturb` does things that must leave no trace.
     */
    let isFull = false;
    const signal = customSignal('test', () => (isFull ? 9 : 0));

    function decisionsAfter(disturb: (gate: ReturnType<typeof make>['gate'], now: number) => void): string[] {
      const quota = new QuotaEnforcement({
        customers: [{ customer: 'c', perSecond: 1 }],
        everyoneElse: { perSecond: 1 },
      });
      const { gate } = make({ workers: 100, quota, queue: { maxWaiting: 1 }, signal });
      const verdicts: string[] = [];
      for (let now = 0; now < 12_000; now += 50) {
        if (now >= 2_000 && now % 200 === 0) disturb(gate, now);
        const arrived = gate.arrive(request({ order: ((now * 7) % 100) / 100 }), now);
        if (arrived instanceof Ticket) gate.finish(gate.take(now)!, false, 0.1, now);
        verdicts.push(arrived instanceof Ticket ? 'in' : arrived.reason);
      }
      return verdicts;
    }

    const undisturbed = decisionsAfter(() => {});

    it('is a test that can fail: it refuses some', () => {
      expect(undisturbed.filter((verdict) => verdict === 'quota').length).toBeGreaterThan(20);
      const charged = decisionsAfter((gate, now) => {
        const ticket = gate.arrive(request({ order: 0.999 }), now);
        if (ticket instanceof Ticket) gate.finish(gate.take(now)!, false, 0.1, now);
      });
      expect(charged).not.toEqual(undisturbed);
    });

    it('abandoned while it waits, whatever it was', () => {
      const disturbance = fc.record({
        criticality: fc.constantFrom<Criticality>('CRITICAL', 'CRITICAL_PLUS'),
        // Last in the order of refusal, so that the quota lets them in: what it refuses did arrive, and is demand.
        order: fc.double({ min: 0.99, max: 0.999, noNaN: true }),
        attempt: fc.constantFrom(1, 2, 3),
      });
      fc.assert(
        fc.property(fc.array(disturbance, { minLength: 1, maxLength: 5 }), (disturbances) => {
          const decisions = decisionsAfter((gate, now) => {
            for (const given of disturbances)
              gate.abandon(ticketOf(gate.arrive(request(given), now)), 0, now);
          });
          expect(decisions).toEqual(undisturbed);
        }),
        { numRuns: 30 },
      );
    });

    it('refused for want of room', () => {
      const decisions = decisionsAfter((gate, now) => {
        isFull = true;
        expect(gate.arrive(request({ order: 0.999 }), now)).not.toBeInstanceOf(Ticket);
        isFull = false;
      });
      expect(decisions).toEqual(undisturbed);
    });

    it('refused by the queue, or evicted from it', () => {
      const decisions = decisionsAfter((gate, now) => {
        const other = request({ customer: 'other', criticality: 'CRITICAL_PLUS', order: 0.999 });
        // c's request waits, is evicted by one more critical, and then finds the queue full.
        gate.arrive(request({ order: 0.999 }), now);
        const critical = gate.arrive(other, now);
        expect(gate.arrive(request({ order: 0.999 }), now)).not.toBeInstanceOf(Ticket);
        if (critical instanceof Ticket) gate.abandon(critical, 0, now);
      });
      expect(decisions).toEqual(undisturbed);
    });
  });

  it('charges a running request that is abandoned', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 1e9 } });
    const { gate } = make({ quota });
    const ticket = ticketOf(gate.arrive(request(), 0));
    gate.take(0);
    gate.abandon(ticket, 3, 0);
    expect(JSON.stringify(quota.usage(0))).toContain('"customer":"c"');
  });

  it('keeps its permits and counts when whoever is told of a drop throws', () => {
    const { gate } = make({ queue: { maxWaiting: 1 } });
    const angry = () => {
      throw new Error('the socket is gone');
    };
    gate.arrive(request({ deadlineMs: 5, end: angry }), 0);
    expect(() => gate.take(10)).toThrow('the socket is gone');
    expect([gate.inFlight, gate.explain(10).running]).toEqual([0, 0]);
    gate.arrive(request({ criticality: 'SHEDDABLE', end: angry }), 10);
    expect(() => gate.arrive(request({ criticality: 'CRITICAL_PLUS' }), 10)).toThrow('the socket is gone');
    expect([gate.inFlight, gate.waiting]).toEqual([1, 1]);
    expect(gate.take(10)!.criticality).toBe('CRITICAL_PLUS');
  });

  it('refuses impossible costs and criticalities before anything is changed', () => {
    const { gate } = make();
    const ticket = ticketOf(gate.arrive(request(), 0));
    gate.take(0);
    expect(() => gate.finish(ticket, false, Number.NaN, 1)).toThrow(
      'cost must be a finite number >= 0, got NaN',
    );
    expect(() => gate.abandon(ticket, -1, 1)).toThrow('cost must be a finite number >= 0, got -1');
    expect(ticket.state).toBe('running');
    gate.finish(ticket, false, 0, 1);
    expect(() => gate.arrive(request({ criticality: 'HIGH' as Criticality }), 1)).toThrow(
      'criticality must be one of',
    );
    expect(gate.inFlight).toBe(0);
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
