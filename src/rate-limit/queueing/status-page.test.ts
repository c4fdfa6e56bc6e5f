import { describe, expect, it } from 'vitest';
import type { QueueStatus } from './queue-status.js';
import { StatusPage, type StatusSource } from './status-page.js';

function aSource(
  status: QueueStatus['status'] | 'error',
  isCancelled = false,
): StatusSource & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    status: async (id) => {
      asked.push(id);
      if (status === 'error') throw new Error('gone');
      return { status, attempts: 0, dueInMs: 0 } as QueueStatus;
    },
    cancel: async () => isCancelled,
  };
}

const ask = async (source: StatusSource, method: string, url: string) =>
  (await new StatusPage(source, '/q').answer(method, url))?.status;

describe('the status page', () => {
  it('is about what lies below its path', async () => {
    const source = aSource('waiting');
    for (const url of ['/q', '/qx/a', '/', '/other/q/a', 'http://host/q/a', '*']) {
      expect(await ask(source, 'GET', url)).toBeUndefined();
    }
    expect(await ask(source, 'GET', '/q/a?b=/c')).toBe(200);
    expect(await ask(source, 'HEAD', '/q/x/y')).toBe(200);
    expect(source.asked).toEqual(['a', 'x/y']);
  });

  it('says that nobody knows it, or that Redis cannot be asked', async () => {
    expect(await ask(aSource('unknown'), 'GET', '/q/a')).toBe(404);
    expect(await ask(aSource('error'), 'GET', '/q/a')).toBe(503);
    expect(await ask(aSource('error'), 'DELETE', '/q/a')).toBe(503);
  });

  it('answers a hundred at once, and sends the others away until then', async () => {
    let answer = (_: QueueStatus): void => {};
    const waiting = new Promise<QueueStatus>((resolve) => {
      answer = resolve;
    });
    const page = new StatusPage({ status: () => waiting, cancel: async () => false }, '/q');
    const first = Array.from({ length: 100 }, () => page.answer('GET', '/q/a'));
    const other = await page.answer('GET', '/q/a');
    expect([other?.status, other?.headers.includes('Retry-After')]).toEqual([503, true]);
    expect(await page.answer('GET', '/elsewhere')).toBeUndefined();
    answer({ status: 'unknown' });
    expect((await Promise.all(first)).map((each) => each?.status)).toEqual(Array(100).fill(404));
    expect((await page.answer('GET', '/q/a'))?.status).toBe(404);
  });

  it('cancels', async () => {
    expect(await ask(aSource('waiting', true), 'DELETE', '/q/a')).toBe(204);
    expect(await ask(aSource('running'), 'DELETE', '/q/a')).toBe(409);
    expect(await ask(aSource('unknown'), 'DELETE', '/q/a')).toBe(404);
    expect(await ask(aSource('waiting'), 'POST', '/q/a')).toBe(405);
  });
});
