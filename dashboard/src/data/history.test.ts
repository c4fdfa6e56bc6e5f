import { describe, expect, it } from 'vitest';
import { HISTORY_MS, History } from './history.js';
import { gatewaySnapshot, guardSnapshot } from './samples.contract.js';

describe('history', () => {
  it('needs two snapshots to know of a second', () => {
    const history = new History();
    history.add(guardSnapshot({ ended: 100 }), 1_000);
    expect(history.samples).toEqual([]);
    history.add(guardSnapshot({ ended: 160, failed: 10 }), 2_000);
    expect(history.last).toMatchObject({ atMs: 2_000, goodput: 50, failed: 10 });
  });

  it('goes by the clock of the process, if it tells it: late news is no burst', () => {
    const history = new History();
    history.add(guardSnapshot({ ended: 0, uptimeMs: 5_000 }), 1_000);
    history.add(guardSnapshot({ ended: 100, uptimeMs: 6_000 }), 1_010);
    expect(history.last?.goodput).toBe(100);
  });

  it('leaves a gap where a process began anew, or nothing was heard', () => {
    const history = new History();
    history.add(guardSnapshot({ ended: 100 }), 0);
    history.add(guardSnapshot({ ended: 150 }), 1_000);
    history.add(guardSnapshot({ ended: 3 }), 2_000);
    history.add(guardSnapshot({ ended: 13 }), 3_000);
    history.add(guardSnapshot({ ended: 20 }), 60_000);
    expect(history.samples.map((sample) => sample?.goodput)).toEqual([50, undefined, 10, undefined]);
    expect(history.previous).toBeUndefined();
  });

  it('has no gaps where snapshots are so large that they come every five seconds', () => {
    const history = new History();
    for (const at of [0, 5_040, 10_060]) history.add(guardSnapshot({ ended: at }), at);
    expect(history.samples.map((sample) => Math.round(sample?.goodput ?? 0))).toEqual([1_000, 1_000]);
  });

  it('forgets what is older than the charts show', () => {
    const history = new History();
    for (let second = 0; second <= 400; second++)
      history.add(guardSnapshot({ ended: second }), second * 1_000);
    expect(history.samples).toHaveLength(HISTORY_MS / 1_000 + 1);
  });

  it('shows nothing old after an hour of silence', () => {
    const history = new History();
    history.add(guardSnapshot({ ended: 1 }), 0);
    history.add(guardSnapshot({ ended: 2 }), 1_000);
    history.add(guardSnapshot({ ended: 3 }), 3_600_000);
    expect(history.samples).toEqual([undefined]);
  });
});

describe('a second of a gateway', () => {
  it('counts as goodput what backends answered, and tells refusals by their reasons', () => {
    const history = new History();
    history.add(gatewaySnapshot({}), 0);
    history.add(
      gatewaySnapshot({
        ended: 180,
        failed: 60,
        refused: 20,
        answered: 100,
        backendFailed: 5,
        limited: 20,
        rejected: { PLIMSOLL_THROTTLED: 30 },
        attempts: [140, 12],
      }),
      1_000,
    );
    expect(history.last).toMatchObject({
      goodput: 100,
      failed: 5,
      refused: { SHEDDABLE: 20, CRITICAL: 0 },
      reasons: { utilization: 20, limited: 20, PLIMSOLL_THROTTLED: 30, backend: 25 },
      retries: 12,
    });
  });
});
