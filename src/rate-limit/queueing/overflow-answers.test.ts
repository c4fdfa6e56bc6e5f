import { describe, expect, it } from 'vitest';
import { acceptedAnswer, fullAnswer, problemAnswer, tooLargeAnswer } from './overflow-answers.js';

describe('answers of the overflow queue', () => {
  it('say where to look, and when', () => {
    const body = '{"id":"abc","status":"waiting","dueInMs":1001}';
    expect(acceptedAnswer('/q', 'abc', 1_001)).toEqual({
      status: 202,
      headers: [
        ...['Cache-Control', 'no-store', 'Location', '/q/abc', 'Retry-After', '2'],
        ...['Content-Type', 'application/json', 'Content-Length', String(body.length)],
      ],
      body,
    });
    // Never at once: that would be a loop.
    expect(acceptedAnswer('/q', 'abc', 0).headers).toContain('1');
  });

  it('have lengths in bytes, and are never kept', () => {
    const { headers } = problemAnswer(404, 'weiß nicht', ['Allow', 'GET']);
    expect(headers).toEqual([
      ...['Cache-Control', 'no-store', 'Allow', 'GET'],
      ...['Content-Type', 'application/problem+json', 'Content-Length', '36'],
    ]);
  });

  it('ask to come again when it is full, and to go when it is too large', () => {
    expect(fullAnswer()).toMatchObject({
      status: 503,
      headers: expect.arrayContaining(['Retry-After', '1']),
    });
    expect(tooLargeAnswer()).toMatchObject({ status: 413, headers: expect.arrayContaining(['close']) });
  });
});
