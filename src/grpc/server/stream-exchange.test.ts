import { EventEmitter } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refuseStream } from './stream-exchange.js';

/** As much of a stream as a refusal needs. */
class StandInStream extends EventEmitter {
  closed = false;
  destroyed = false;
  readonly did: string[] = [];

  respond(): void {
    this.did.push('respond');
  }

  resume(): void {
    this.did.push('resume');
  }

  close(code: number): void {
    this.did.push(`close ${code}`);
    this.closed = true;
    this.emit('close');
  }
}

function refuse(isMoreToCome: boolean): StandInStream {
  const stream = new StandInStream();
  refuseStream(stream as unknown as ServerHttp2Stream, {}, isMoreToCome);
  expect(stream.did).toEqual(['respond', 'resume']);
  return stream;
}

const CLOSED = `close ${constants.NGHTTP2_NO_ERROR}`;

describe('a refused stream', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('of which more may come is closed at once', () => {
    const stream = refuse(true);
    vi.advanceTimersByTime(0);
    expect(stream.did.at(-1)).toBe(CLOSED);
  });

  it('of one message is closed when that does not end', () => {
    const stream = refuse(false);
    vi.advanceTimersByTime(999);
    expect(stream.closed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(stream.did.at(-1)).toBe(CLOSED);
  });

  it('leaves nothing behind when its request ends as it should', () => {
    const stream = refuse(false);
    stream.closed = true;
    stream.emit('close');
    expect(vi.getTimerCount()).toBe(0);
    expect(stream.did).toHaveLength(2);
  });
});
