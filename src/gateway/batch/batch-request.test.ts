import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { BatchRequest, outcomeOfResponse } from './batch-request.js';

describe('outcomeOfResponse', () => {
  it.each([
    [200, true, 'answered'],
    [404, true, 'answered'],
    [429, true, 'limited'],
    [500, true, 'failed'],
    [501, true, 'failed'],
    [502, true, 'broken'],
    [503, true, 'task-overloaded'],
    [504, true, 'broken'],
    [200, false, 'aborted'],
  ])('of %i, finished: %s', (statusCode, writableFinished, outcome) => {
    expect(outcomeOfResponse({ statusCode, writableFinished } as ServerResponse)).toBe(outcome);
  });
});

describe('BatchRequest', () => {
  it.each([
    ['nothing is in the way', { complete: true }, {}, 2_000, false],
    ['its answer is not read', { complete: true }, { writableNeedDrain: true }, 2_000, true],
    ['its answer is not read for a moment', { complete: true }, { writableNeedDrain: true }, 999, false],
    ['its body does not come', { complete: false, readableLength: 0 }, {}, 2_000, true],
    ['its body is not wanted yet', { complete: false, readableLength: 9 }, {}, 2_000, false],
  ])('%s', (_, req, res, now, isHeldUp) => {
    const response = { writableNeedDrain: false, ...res };
    const request = new BatchRequest(
      req as unknown as IncomingMessage,
      response as unknown as ServerResponse,
      'SHEDDABLE_PLUS',
    );
    expect(request.isHeldUpByClient(now)).toBe(isHeldUp);
  });
});
