import { describe, expect, it } from 'vitest';
import type { Criticality } from '../../core/criticality.js';
import { Kind } from './kind.js';
import { REQUEST_ENDS, type RequestEnd, SimulatedRequest } from './request.js';
import { Traffic } from './traffic.js';

function request(startedMs: number, criticality: Criticality = 'CRITICAL'): SimulatedRequest {
  const kind = new Kind('request', { costMs: 1, waitMs: 0, failureShare: 0 });
  const owner = { onEnd: () => {} };
  const context = { criticality, customer: 'anyone', order: 0 };
  return new SimulatedRequest(owner, kind, context, 1e9, true, startedMs);
}

/** Of requests made at 0 that take these times. */
function trafficOf(latencies: readonly number[], end: RequestEnd = 'served'): Traffic {
  const traffic = new Traffic();
  for (const latencyMs of latencies) {
    const made = request(0);
    traffic.onStart(made);
    traffic.onEnd(made, end, latencyMs);
  }
  return traffic;
}

const oneToHundred = Array.from({ length: 100 }, (_, index) => index + 1);

describe('Traffic', () => {
  it('counts each end, together and by criticality', () => {
    const traffic = new Traffic();
    for (const [at, end] of REQUEST_ENDS.entries()) {
      const made = request(at, at % 2 === 0 ? 'SHEDDABLE' : 'CRITICAL');
      traffic.onStart(made);
      traffic.onEnd(made, end, at + 1);
    }
    const { all } = traffic;
    for (const end of REQUEST_ENDS) expect(all.ends[end]).toBe(1);
    expect([all.offered, all.ended, all.good, all.errors, all.refused]).toEqual([9, 9, 2, 3, 4]);
    expect([traffic.of('SHEDDABLE').ended, traffic.of('CRITICAL').ended]).toEqual([5, 4]);
    expect(traffic.of('CRITICAL_PLUS').offered).toBe(0);
  });

  it('counts nothing of requests that were made before its time, however late they end', () => {
    const traffic = new Traffic();
    traffic.sinceMs = 100;
    for (const startedMs of [99.9, 100]) {
      const made = request(startedMs);
      traffic.onStart(made);
      traffic.onEnd(made, 'served', 150);
    }
    expect(traffic.all).toMatchObject({ offered: 1, ended: 1 });
    expect(traffic.takeRecent([0, 1])).toEqual([50, 50]);
  });

  it('knows quantiles to one percent, and the mean exactly', () => {
    const { all } = trafficOf(oneToHundred);
    for (const [quantile, expected] of [
      [0.5, 50],
      [0.9, 90],
      [0.99, 99],
      [1, 100],
    ] as const) {
      expect(Math.abs(all.latencyMs(quantile)! / expected - 1)).toBeLessThanOrEqual(0.0101);
    }
    expect(all.meanLatencyMs).toBe(50.5);
  });

  it('has latencies of those that waited for something: answers, and deadlines that passed', () => {
    for (const end of REQUEST_ENDS) {
      const hasLatency = ['served', 'degraded', 'timed-out'].includes(end);
      const traffic = trafficOf([10], end);
      expect(traffic.all.meanLatencyMs).toBe(hasLatency ? 10 : null);
      expect(traffic.all.latencyMs(0.5) !== null).toBe(hasLatency);
      expect(traffic.takeRecent([0.5])).toEqual([hasLatency ? 10 : null]);
    }
  });

  it('says null where there is nothing to say', () => {
    const traffic = new Traffic();
    expect([traffic.all.latencyMs(0.99), traffic.all.meanLatencyMs]).toEqual([null, null]);
    expect(traffic.takeRecent([0.5, 0.99])).toEqual([null, null]);
  });

  it('hands out recent quantiles exactly, once', () => {
    const traffic = trafficOf(oneToHundred.toReversed());
    expect(traffic.takeRecent([0, 0.5, 0.99, 1])).toEqual([1, 50, 99, 100]);
    expect(traffic.takeRecent([0.5])).toEqual([null]);
  });

  it('adds up retries', () => {
    const traffic = new Traffic();
    for (const attempt of [1, 3, 2]) {
      const made = request(0);
      made.call = { attempt } as NonNullable<SimulatedRequest['call']>;
      traffic.onStart(made);
      traffic.onEnd(made, 'failed', 1);
    }
    expect(traffic.all.retries).toBe(3);
  });
});
