import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeWorker } from './fake-worker.contract.js';
import type { Choice, FinishedRun } from './protocol.js';
import { MOST_RUN_MS, type RunEnd, startRun } from './start-run.js';

const CHOICE: Choice = { subject: { kind: 'scenario', name: 'plateau' }, seed: 0, policies: [] };
const RUN: FinishedRun = {
  claim: '',
  result: { scenario: 'plateau', seed: 0, options: {}, rows: [], checks: [] },
  figures: [],
  fleets: [],
};
const PROGRESS = { share: 0.5, events: 10 };

function started() {
  const worker = new FakeWorker();
  const ends: RunEnd[] = [];
  const shares: number[] = [];
  const run = startRun(
    CHOICE,
    { onProgress: ({ share }) => shares.push(share), onEnd: (end) => ends.push(end) },
    worker,
  );
  return { worker, ends, shares, run };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a run', () => {
  it('is asked for, watched, and ends with its worker', () => {
    const { worker, ends, shares } = started();
    expect(worker.asked).toEqual([{ kind: 'run', choice: CHOICE }]);
    worker.say({ kind: 'progress', progress: PROGRESS });
    vi.advanceTimersByTime(1_500);
    worker.say({ kind: 'done', run: RUN });
    expect(shares).toEqual([0.5]);
    expect(ends).toEqual([{ kind: 'done', run: RUN, elapsedMs: 1_500 }]);
    expect(worker.isGone).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be cancelled, and nothing is heard of it any more', () => {
    const { worker, ends, shares, run } = started();
    run.cancel();
    run.cancel();
    worker.say({ kind: 'progress', progress: PROGRESS });
    worker.say({ kind: 'done', run: RUN });
    expect({ ends, shares }).toEqual({ ends: [{ kind: 'cancelled' }], shares: [] });
    expect(worker.isGone).toBe(true);
  });

  it('does not go on for ever', () => {
    const { worker, ends } = started();
    vi.advanceTimersByTime(MOST_RUN_MS);
    expect(ends).toEqual([{ kind: 'too-long' }]);
    expect(worker.isGone).toBe(true);
  });

  it('says why there is none', () => {
    const refused = started();
    refused.worker.say({ kind: 'refused', problems: [], more: 0 });
    expect(refused.ends).toEqual([{ kind: 'refused', problems: [], more: 0 }]);
    const failed = started();
    failed.worker.fail('');
    expect(failed.ends).toEqual([{ kind: 'failed', text: 'the worker could not be loaded' }]);
  });
});
