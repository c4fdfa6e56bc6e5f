import { expect, it } from 'vitest';
import { BatchTally } from './batch-tally.js';

it('counts what became of requests, and hands out copies', () => {
  const tally = new BatchTally();
  const before = tally.counts();
  tally.forwarded++;
  tally.onRefused('late');
  tally.onRefused('late');
  expect(tally.counts()).toMatchObject({ forwarded: 1, left: 0, refused: { late: 2, waited: 0 } });
  expect(before).toMatchObject({ forwarded: 0, refused: { late: 0 } });
});
