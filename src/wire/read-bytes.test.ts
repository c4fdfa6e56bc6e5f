import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBytes } from './read-bytes.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

function aRequest(headers: Record<string, string> = {}): Readable & IncomingMessage {
  return Object.assign(new Readable({ read: () => {} }), { headers }) as Readable & IncomingMessage;
}

const readOf = async (req: IncomingMessage) => String(await readBytes(req, { maxBytes: 5, timeoutMs: 100 }));

/** What is left on a request that somebody has stopped reading. */
function expectNothingLeft(req: Readable): void {
  expect(vi.getTimerCount()).toBe(0);
  for (const event of ['data', 'end', 'close']) expect(req.listenerCount(event), event).toBe(0);
}

describe('the bytes of a request', () => {
  it('are all of them', async () => {
    const req = aRequest({ 'content-length': '5' });
    const read = readOf(req);
    req.push('he');
    req.push('llo');
    req.push(null);
    expect(await read).toBe('hello');
    expectNothingLeft(req);
  });

  it('are too many, found out or announced', async () => {
    const req = aRequest();
    const read = readOf(req);
    req.push('hel');
    req.push('lo!');
    expect(await read).toBe('too-large');
    expect(req.isPaused()).toBe(true);
    expectNothingLeft(req);
    // Errors that come now are nobody's.
    req.destroy(new Error('reset'));
    const announced = aRequest({ 'content-length': '6' });
    expect(await readOf(announced)).toBe('too-large');
    expectNothingLeft(announced);
  });

  it('come too slowly', async () => {
    const req = aRequest();
    const read = readOf(req);
    req.push('he');
    vi.advanceTimersByTime(100);
    expect(await read).toBe('too-slow');
    expect(req.isPaused()).toBe(true);
    expectNothingLeft(req);
  });

  it('are cut off, or have been', async () => {
    const reset = aRequest();
    const read = readOf(reset);
    reset.destroy(new Error('reset'));
    expect(await read).toBe('cut-off');
    expect(await readOf(reset)).toBe('cut-off');
    const ended = aRequest();
    ended.push(null);
    for await (const _ of ended);
    expect(await readOf(ended)).toBe('cut-off');
    expectNothingLeft(reset);
  });
});
