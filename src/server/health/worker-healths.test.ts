import { expect, it } from 'vitest';
import { WorkerHealths } from './worker-healths.js';

it('speaks for all', () => {
  const healths = new WorkerHealths();
  expect(healths.combined(0)).toEqual({ state: 'starting', report: {} });
  healths.hear(1, { state: 'ready', report: { inFlight: 2 } }, 0);
  healths.hear(2, { state: 'starting', report: {} }, 0);
  expect(healths.combined(0)).toEqual({ state: 'ready', report: { inFlight: 2 } });
  healths.hear(2, { state: 'ready', report: { inFlight: 3 } }, 0);
  expect(healths.combined(0).report).toEqual({ inFlight: 5 });
  expect(healths.list()).toEqual({
    1: { state: 'ready', report: { inFlight: 2 } },
    2: { state: 'ready', report: { inFlight: 3 } },
  });
  healths.forget(1);
  healths.forget(2);
  expect(healths.size).toBe(0);
  expect(healths.combined(0)).toEqual({ state: 'starting', report: {} });
});

it('does not count on one that has fallen silent, for an hour either', () => {
  const healths = new WorkerHealths();
  healths.hear(1, { state: 'ready', report: { inFlight: 2 } }, 0);
  expect(healths.combined(4_999).state).toBe('ready');
  expect(healths.combined(5_000)).toEqual({ state: 'starting', report: {} });
  expect(healths.combined(3_600_000)).toEqual({ state: 'starting', report: {} });
  healths.hear(1, { state: 'ready', report: {} }, 3_600_000);
  expect(healths.combined(3_600_000).state).toBe('ready');
});

it('is a lame duck when told so, until the last is gone', () => {
  const healths = new WorkerHealths();
  healths.hear(1, { state: 'ready', report: { inFlight: 2 } }, 0);
  healths.beLameDuck();
  expect(healths.combined(0)).toEqual({ state: 'lame-duck', report: { inFlight: 2 } });
  healths.forget(1);
  expect(healths.combined(0)).toEqual({ state: 'closed', report: {} });
});
