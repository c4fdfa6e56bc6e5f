import { describe, expect, it } from 'vitest';
import type { Criticality } from '../../core/criticality.js';
import type { Attempt } from './attempt.js';
import { BackendTally } from './backend-tally.js';

function attempt(number: number, criticality: Criticality = 'CRITICAL', isAbandoned = false): Attempt {
  return { attempt: number, criticality, isAbandoned } as Attempt;
}

/** Everything that can be counted, once or twice. */
function count(tally: BackendTally): void {
  for (const number of [1, 1, 2, 3, 7]) tally.onArrival(attempt(number));
  tally.onFinished(attempt(1), 'answered');
  tally.onFinished(attempt(1), 'failed');
  tally.onFinished(attempt(1), 'overloaded-no-retry');
  tally.onFinished(attempt(1, 'CRITICAL', true), 'answered');
  tally.onRefused(attempt(1, 'SHEDDABLE'), 'queue');
  tally.onRefused(attempt(1, 'CRITICAL_PLUS'), 'queue');
  tally.onRefused(attempt(1, 'SHEDDABLE'), 'quota');
}

const COUNTED = {
  arrivals: 5,
  served: 1,
  failed: 2,
  refused: 3,
  wasted: 1,
  attempts: Float64Array.of(2, 1, 2),
  refusedByRank: Float64Array.of(2, 0, 0, 1),
  refusedBy: { queue: 2, quota: 1 },
};

describe('BackendTally', () => {
  it('counts each thing once', () => {
    const tally = new BackendTally();
    count(tally);
    expect(tally).toMatchObject(COUNTED);
  });

  it('begins anew', () => {
    const tally = new BackendTally();
    count(tally);
    tally.reset();
    expect(tally).toEqual(new BackendTally());
    count(tally);
    expect(tally).toMatchObject(COUNTED);
  });

  it('counts nothing when the counting is over', () => {
    const tally = new BackendTally();
    count(tally);
    tally.isCounting = false;
    count(tally);
    expect(tally).toMatchObject(COUNTED);
  });
});
