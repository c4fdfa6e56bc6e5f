import { describe, expect, it } from 'vitest';
import { customSignal, DEGRADING_THRESHOLDS, Thresholds } from '../admission/index.js';
import { QuotaEnforcement } from '../quota/index.js';
import { SeededRandom } from '../seeded-random.js';
import { VirtualLoop } from '../virtual-loop.contract.js';
import { type ModelRequest, REQUEST, ServerModel, type ServerOptions } from './server-model.contract.js';
import { Ticket } from './ticket.js';

const ignore = () => {};
const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({ ...REQUEST, end: ignore, ...given });

function make(options: Partial<ServerOptions> = {}) {
  const loop = new VirtualLoop();
  const server = new ServerModel(loop, { serviceMs: 2, ...options });
  return { loop, server, ...server };
}

describe('what is asked of an arrival', () => {
  it('tells the queue how many it lets in, by which a flood is found at once', () => {
    const { loop, server, parts } = make();
    const random = new SeededRandom(1);
    // 5,000 a second where 500 can be served. By queue times alone it would look like 1.4 times too much after a second.
    const arrive = () => {
      loop.after(-Math.log(1 - random.next()) / 5, arrive);
      server.send(request({ order: random.next() }));
    };
    arrive();
    loop.runUntil(1_000);
    expect(parts.queuePressure.overload(1_000)).toBeGreaterThan(7);
    expect(parts.queuePressure.overload(1_000)).toBeLessThan(12);
  });

  it('does not count as let in whom the thresholds refuse', () => {
    const overloadsWith = (refused: number) => {
      let utilization = 0;
      const queue = { maxWaitMs: 1_000, tightWaitMs: 1_000, maxWaiting: 50 };
      const { gate, parts } = make({ signal: customSignal('x', () => utilization), queue });
      const overloads: number[] = [];
      gate.arrive(request(), 0);
      // Three come for each that is taken: soon there is no room for two of them.
      for (let now = 0; now < 300; now += 5) {
        gate.finish(gate.take(now)!, false, 0, now + 5);
        for (let count = 0; count < 3; count++) gate.arrive(request(), now + 5);
        utilization = 9;
        for (let count = 0; count < refused; count++)
          expect(gate.arrive(request(), now + 5)).toMatchObject({ reason: 'utilization' });
        utilization = 0;
        overloads.push(parts.queuePressure.overload(now + 5));
      }
      return overloads;
    };
    expect(Math.max(...overloadsWith(0))).toBeGreaterThan(1.5);
    expect(overloadsWith(10)).toEqual(overloadsWith(0));
  });

  it('lets in for cheaper answers before it refuses', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    const { gate } = make({ thresholds, signal: customSignal('x', () => 0.999) });
    expect(gate.arrive(request(), 0)).toMatchObject({ isDegraded: true });
  });

  it('is not asked aside how full it is: nothing is made cheaper there', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    const { gate } = make({ thresholds, signal: customSignal('x', () => 0.999) });
    expect(gate.arriveAside(request(), 0)).toMatchObject({ isDegraded: false });
  });

  it('hands back to the quota what that assumed of a request aside', () => {
    const quota = new QuotaEnforcement({ everyoneElse: { perSecond: 10 } });
    const { gate } = make({ quota });
    quota.isSuspended = true;
    const ticket = gate.arriveAside(request(), 0) as Ticket<ModelRequest>;
    quota.isSuspended = false;
    gate.finish(ticket, false, 500, 5_000);
    // Let in while quotas did not count: nothing of it is owed.
    expect(quota.explain('c', 5_200).debt).toBe(-20);
  });
});

it('leaves a queue of up to three targets to its pressure, however long it stands', () => {
  const { gate } = make({ signal: customSignal('calm', () => 0) });
  for (let waiting = 0; waiting < 10; waiting++) gate.arrive(request(), 0);
  // One is taken every 5 ms, and one comes: 50 ms to wait, for a second.
  for (let now = 0; now < 1_000; now += 5) {
    gate.finish(gate.take(now)!, false, 0, now + 5);
    expect(gate.arrive(request(), now + 5)).toBeInstanceOf(Ticket);
  }
});
