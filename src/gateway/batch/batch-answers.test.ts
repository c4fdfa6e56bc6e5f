import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { refuse, retrySeconds } from './batch-answers.js';

describe('retrySeconds', () => {
  it.each([
    [1_000, 100, 0, 10],
    [1_000, 100, 0.5, 15],
    [0, 100, 0.5, 1],
    [1_000_000, 1, 0, 60],
  ])('%i at %i a second, by chance %d: %i', (waiting, rate, random, seconds) => {
    expect(retrySeconds(waiting, rate, random)).toBe(seconds);
  });
});

describe('refuse', () => {
  function answering(refusal: Parameters<typeof refuse>[2], isOut = false) {
    const said: unknown[] = [];
    const res = {
      headersSent: isOut,
      writeHead: (...args: unknown[]) => said.push(...args),
      end: (body: string) => said.push(JSON.parse(body)),
    };
    refuse({ complete: false, headers: {} } as IncomingMessage, res as unknown as ServerResponse, refusal, 7);
    return said;
  }

  it.each(['queue-full', 'job-full', 'bodies-full', 'waited'] as const)(
    '%s: 429, and when to come back',
    (why) => {
      const [status, headers, body] = answering(why);
      expect(status).toBe(429);
      expect(headers).toEqual(expect.arrayContaining(['retry-after', '7']));
      expect(headers).toEqual(
        expect.arrayContaining(['content-length', String(JSON.stringify(body).length)]),
      );
      expect(body).toMatchObject({ status: 429 });
    },
  );

  it('late: 504, closed: 503', () => {
    expect(answering('late')[0]).toBe(504);
    expect(answering('closed')[0]).toBe(503);
  });

  it('says nothing when an answer is out', () => {
    expect(answering('late', true)).toEqual([]);
  });
});
