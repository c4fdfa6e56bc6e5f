import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventReaders, MOST_READERS } from './event-readers.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Keeps what it is sent. */
class FakeResponse extends EventEmitter {
  readonly sent: unknown[] = [];
  readonly writableLength = 0;
  writeHead(): void {}
  write(chunk: unknown): void {
    this.sent.push(chunk);
  }
  get snapshots(): number {
    return this.sent.filter((chunk) => String(chunk).startsWith('event: snapshot')).length;
  }
}

/** `workMs`: what a snapshot takes of this process. */
function setUp(workMs: number) {
  let now = 0;
  const snapshot = vi.fn(async () => {
    now += workMs;
    return { a: 1 };
  });
  const readers = new EventReaders({ snapshot, onEvent: () => () => {} }, () => now);
  const open = () => {
    const res = new FakeResponse();
    const answer = readers.add({ headers: {} } as IncomingMessage, res as unknown as ServerResponse, true);
    return { res, answer };
  };
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      now += 1_000;
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  return { readers, snapshot, open, pass };
}

describe('EventReaders', () => {
  it('shows all of them a snapshot a second, made and encoded once', async () => {
    const { snapshot, open, pass } = setUp(2);
    const all = Array.from({ length: 50 }, open);
    await pass(10);
    for (const { res } of all) expect(res.snapshots).toBe(11);
    expect(snapshot).toHaveBeenCalledTimes(11);
    expect(all[0]!.res.sent.at(-1)).toBe(all[49]!.res.sent.at(-1));
  });

  it('greets whoever comes later with what the others have seen', async () => {
    const { snapshot, open, pass } = setUp(2);
    open();
    await pass(2);
    const { res } = open();
    await vi.advanceTimersByTimeAsync(0);
    expect(res.snapshots).toBe(1);
    expect(snapshot).toHaveBeenCalledTimes(3);
  });

  it('takes no more than a hundredth of the time for what is large, and is never older than five seconds', async () => {
    const slow = setUp(30);
    slow.open();
    await slow.pass(60);
    expect(slow.snapshot.mock.calls.length).toBeLessThanOrEqual(21);
    expect(slow.snapshot.mock.calls.length).toBeGreaterThanOrEqual(15);
    const huge = setUp(300);
    huge.open();
    await huge.pass(60);
    expect(huge.snapshot.mock.calls.length).toBeGreaterThanOrEqual(11);
  });

  it('asks for nothing when nobody reads', async () => {
    const { snapshot, open, pass } = setUp(1);
    const { res } = open();
    await pass(1);
    res.emit('close');
    const { length } = snapshot.mock.calls;
    await pass(10);
    expect(snapshot).toHaveBeenCalledTimes(length);
  });

  it('leaves no place to who has gone before the answers in front of its own were out', () => {
    const { readers } = setUp(1);
    const socket = new EventEmitter();
    const res = Object.assign(new FakeResponse(), { socket: null, req: { socket } });
    readers.add({ headers: {} } as IncomingMessage, res as unknown as ServerResponse, true);
    expect(readers.size).toBe(1);
    socket.emit('close');
    expect(readers.size).toBe(0);
  });

  it('has room for so many', () => {
    const { readers, open } = setUp(1);
    for (let i = 0; i < MOST_READERS; i++) expect(open().answer).toBeUndefined();
    expect(open().answer).toMatchObject({ status: 503 });
    expect(readers.size).toBe(MOST_READERS);
  });
});
