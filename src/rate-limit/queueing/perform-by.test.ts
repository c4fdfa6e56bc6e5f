import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { type PerformByOptions, performBy } from './perform-by.js';
import type { QueuedRequest } from './queued-request.js';

const ORIGIN = 'http://backend.test';
const LIMITS = { signal: new AbortController().signal, maxResultBytes: 5 };
const REQUEST = {
  id: 'id',
  method: 'POST',
  url: '/a',
  headers: [],
  body: Buffer.from('b'),
} as unknown as QueuedRequest;

function anAgent(status: number, body: string, path = '/a') {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get(ORIGIN)
    .intercept({ path, method: 'POST' })
    .reply(status, body, { headers: { 'x-a': '1' } });
  return dispatcher;
}

describe('performing by a server', () => {
  it('gives its answer, also one that refuses', async () => {
    const perform = performBy(`${ORIGIN}/base`, { dispatcher: anAgent(404, 'none', '/base/a?b') });
    const answer = await perform({ ...REQUEST, url: '/a?b' }, LIMITS);
    expect(answer).toMatchObject({ status: 404, body: Buffer.from('none') });
    expect(answer.headers).toEqual(expect.arrayContaining(['x-a', '1']));
  });

  it.each([429, 500, 503])('fails on %i', async (status) => {
    const perform = performBy(ORIGIN, { dispatcher: anAgent(status, '') });
    await expect(perform(REQUEST, LIMITS)).rejects.toThrow(`it was answered with ${status}`);
  });

  it('fails on what it is told, and leaves out a body that is too long', async () => {
    const options: PerformByOptions = { isFailure: (status) => status === 200 };
    const failing = performBy(ORIGIN, { ...options, dispatcher: anAgent(200, '') });
    await expect(failing(REQUEST, LIMITS)).rejects.toThrow('it was answered with 200');
    const long = performBy(ORIGIN, { ...options, dispatcher: anAgent(500, '123456') });
    expect(await long(REQUEST, LIMITS)).toMatchObject({ status: 500, isBodyOmitted: true });
  });

  it('takes no promise for a failure', async () => {
    const options = { isFailure: async () => false } as unknown as PerformByOptions;
    const perform = performBy(ORIGIN, { ...options, dispatcher: anAgent(200, '') });
    expect(await perform(REQUEST, LIMITS)).toMatchObject({ status: 200 });
  });

  it('sends nowhere else, whatever the request says', async () => {
    const perform = performBy(`${ORIGIN}/base`, { dispatcher: anAgent(200, '') });
    await expect(perform({ ...REQUEST, url: '//evil.test/a' }, LIMITS)).rejects.toThrow(
      "path '/base//evil.test/a': subsequent request to origin http://backend.test was not allowed",
    );
    for (const url of [
      'http://evil.test/',
      '@evil.test/',
      '.evil.test/',
      '/../a',
      '/x/../../a',
      '/%2e%2e/a',
      '/..',
    ]) {
      await expect(perform({ ...REQUEST, url }, LIMITS)).rejects.toThrow('its path leads elsewhere');
    }
  });

  it('sends what HTTP/1.1 may have, also of what came by HTTP/2', async () => {
    const dispatcher = new MockAgent();
    dispatcher.disableNetConnect();
    const sent: unknown[] = [];
    dispatcher
      .get(ORIGIN)
      .intercept({ path: '/a', method: 'POST' })
      .reply(200, ({ headers }) => {
        sent.push(headers);
        return '';
      });
    const headers = [
      ':method',
      'POST',
      ':path',
      '/',
      'cookie',
      'a=1',
      'x-b',
      '2',
      'cookie',
      'c=3',
      'host',
      'h',
    ];
    await performBy(ORIGIN, { dispatcher })({ ...REQUEST, headers }, LIMITS);
    expect(sent).toEqual([{ 'x-b': '2', cookie: 'a=1; c=3', 'idempotency-key': '"id"' }]);
  });

  it('refuses impossible options', () => {
    expect(() => performBy('ftp://a')).toThrow('baseUrl must be a URL of http or https');
    expect(() => performBy(`${ORIGIN}/?a`)).toThrow('without a query, got "http://backend.test/?…"');
    expect(() => performBy('htp://u:s3cret@h')).toThrow('got "…@h"');
    expect(() => performBy(ORIGIN, { timeoutMs: 0 })).toThrow('timeoutMs must be a finite number > 0');
    expect(() => performBy(ORIGIN, { retries: 1 } as never)).toThrow('performBy has no option "retries"');
  });
});
