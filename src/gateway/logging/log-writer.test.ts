import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogWriter } from './log-writer.js';
import type { Sink } from './sink.js';

const options = { gatherMs: 50, retryMs: 250, mostBytes: 100 };

/** Writes when it is told to. */
class TestSink implements Sink {
  readonly mostBytes = 16;
  isGone = false;
  isClosed = false;
  reopened = 0;
  text = '';
  writes = 0;
  piece: Buffer | undefined = undefined;
  #done: (error: Error | undefined, bytes: number) => void = () => {};

  write(piece: Buffer, done: (error: Error | undefined, bytes: number) => void): void {
    if (this.piece !== undefined) throw new Error('two at once');
    this.writes++;
    this.piece = piece;
    this.#done = done;
  }

  /** The write that is under way ends: so many bytes of it, or with an error. */
  end(result: number | Error = this.piece!.length): void {
    const piece = this.piece!;
    this.piece = undefined;
    if (result instanceof Error) this.#done(result, 0);
    else {
      this.text += String(piece.subarray(0, result));
      this.#done(undefined, result);
    }
  }

  writeNow(piece: Buffer): void {
    this.text += String(piece);
  }

  reopen(): void {
    this.reopened++;
  }

  close(): void {
    this.isClosed = true;
  }
}

const line = (n: number) => `{"n":${n}}\n`;
let sink: TestSink;
let writer: LogWriter;

beforeEach(() => {
  vi.useFakeTimers();
  sink = new TestSink();
  writer = new LogWriter(sink, options);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('LogWriter', () => {
  it('collects lines for a while, and writes them as one', () => {
    writer.write(line(1));
    expect(sink.writes).toBe(0);
    vi.advanceTimersByTime(50);
    expect(sink.writes).toBe(1);
    sink.end();
    expect(sink.text).toBe(line(1));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait when there is a piece of them, and goes on with what has come meanwhile', () => {
    for (let n = 0; n < 5; n++) writer.write(line(n));
    expect(sink.writes).toBe(1);
    sink.end();
    sink.end();
    sink.end();
    expect(sink.text).toBe([0, 1, 2, 3, 4].map(line).join(''));
    expect(sink.writes).toBe(3);
  });

  it('writes the rest of what was written in part', () => {
    writer.write(line(1));
    writer.write(line(2));
    sink.end(3);
    expect(String(sink.piece)).toBe('":1}\n{"n":2}\n');
    sink.end();
    expect(sink.text).toBe(line(1) + line(2));
  });

  it('drops what there is no room for while nobody reads, tries again, and says so', () => {
    for (let n = 0; n < 100; n++) writer.write(line(n % 10));
    sink.end(new Error('ENOSPC'));
    expect([writer.dropped, writer.errors]).toEqual([86, 1]);
    vi.advanceTimersByTime(249);
    expect(sink.piece).toBe(undefined);
    writer.write(line(1));
    expect(sink.piece).toBe(undefined);
    vi.advanceTimersByTime(1);
    while (sink.piece !== undefined) sink.end();
    writer.write(line(5));
    vi.advanceTimersByTime(50);
    sink.end();
    const lines = sink.text.split('\n').slice(0, -1);
    expect(lines).toHaveLength(15);
    expect(lines.at(-1)).toBe('{"n":5,"dropped":87}');
  });

  it('goes on without anybody who reads', () => {
    sink.isGone = true;
    for (let n = 0; n < 5; n++) writer.write(line(n));
    expect([sink.writes, writer.dropped]).toEqual([0, 5]);
  });

  it('ends when all is written, or the time is over', async () => {
    writer.write(line(1));
    const closed = writer.close(1_000);
    sink.end();
    await closed;
    expect([sink.text, sink.isClosed]).toEqual([line(1), true]);
    sink = new TestSink();
    writer = new LogWriter(sink, options);
    writer.write(line(1));
    const late = writer.close(1_000);
    vi.advanceTimersByTime(1_000);
    await late;
    expect([sink.isClosed, vi.getTimerCount()]).toEqual([true, 0]);
  });

  it('writes what goes without waiting when the process ends, and nothing into the middle of a line', () => {
    for (let n = 0; n < 4; n++) writer.write(line(n));
    writer.flushNow();
    expect(sink.text).toBe('');
    sink.end(new Error('EAGAIN'));
    writer.flushNow();
    expect(sink.text).toBe([0, 1, 2, 3].map(line).join(''));
    sink.writeNow = () => {
      throw new Error('EAGAIN');
    };
    writer.write(line(1));
    expect(() => writer.flushNow()).not.toThrow();
  });

  it('passes on that the file is another one', () => {
    writer.reopen();
    expect(sink.reopened).toBe(1);
  });
});
