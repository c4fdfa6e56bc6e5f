import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBody } from './read-body.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

function aRequest(headers: Record<string, string> = {}): Readable & IncomingMessage {
  return Object.assign(new Readable({ read: () => {} }), { headers }) as Readable & IncomingMessage;
}

/** The body as text, or the status of the answer. */
async function readOf(req: IncomingMessage): Promise<string | number> {
  const read = await readBody(req, { maxBytes: 5, timeoutMs: 100 });
  return 'body' in read ? read.body.toString() : read.answer.status;
}

describe('reading a body', () => {
  it('gives all of it', async () => {
    const req = aRequest();
    const read = readOf(req);
    req.push('he');
    req.push('llo');
    req.push(null);
    expect(await read).toBe('hello');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops when it is too long, and at once when that is announced', async () => {
    const req = aRequest({ 'content-length': '5' });
    const read = readOf(req);
    req.push('hel');
    req.push('lo!');
    expect(await read).toBe(413);
    expect(req.isPaused()).toBe(true);
    expect(await readOf(aRequest({ 'content-length': '6' }))).toBe(413);
    // Errors that come now are nobody's.
    req.destroy(new Error('reset'));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends in time, and when the client goes', async () => {
    const late = readOf(aRequest());
    vi.advanceTimersByTime(100);
    expect(await late).toBe(408);
    const reset = aRequest();
    const read = readOf(reset);
    reset.destroy(new Error('reset'));
    expect(await read).toBe(400);
    expect(await readOf(reset)).toBe(400);
    const gone = aRequest();
    const other = readOf(gone);
    gone.destroy();
    expect(await other).toBe(400);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('knows when somebody has read it before', async () => {
    const ended = async (headers: Record<string, string>) => {
      const req = aRequest(headers);
      req.push(null);
      for await (const _ of req);
      return readOf(req);
    };
    expect(await ended({})).toBe('');
    expect(await ended({ 'content-length': '0' })).toBe('');
    expect(await ended({ 'content-length': '3' })).toBe(500);
    expect(await ended({ 'transfer-encoding': 'chunked' })).toBe(500);
  });
});
