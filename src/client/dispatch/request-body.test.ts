import { Readable } from 'node:stream';
import fc from 'fast-check';
import { FormData as UndiciFormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { ReplayableBody, toRequestBody } from './request-body.js';

const PLENTY = 1_000_000;

async function read(body: AsyncIterable<string | Uint8Array>): Promise<(string | Uint8Array)[]> {
  const chunks: (string | Uint8Array)[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
}

/** A source that gives its chunks when the test says so, and notes how often it is asked and whether it is closed. */
function byHand() {
  const waiting: ((result: IteratorResult<string>) => void)[] = [];
  const seen = { asked: 0, closed: 0 };
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        seen.asked++;
        return new Promise((resolve) => waiting.push(resolve));
      },
      return: () => {
        seen.closed++;
        for (const resolve of waiting.splice(0)) resolve({ value: undefined, done: true });
        return Promise.resolve({ value: undefined, done: true });
      },
    }),
  };
  const give = (value: string) => waiting.shift()!({ value, done: false });
  const end = () => waiting.shift()!({ value: undefined, done: true });
  return { source, seen, give, end };
}

/** Lets everything go on that can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('toRequestBody', () => {
  it('leaves alone what can be sent as often as one likes', () => {
    const bodies = [
      ...[null, undefined, '', 'text', Buffer.from('x'), new Uint8Array(1), new DataView(new ArrayBuffer(1))],
      ...[new ArrayBuffer(1), new Blob(['x']), new FormData(), new UndiciFormData()],
    ];
    for (const body of bodies) expect(toRequestBody(body, PLENTY)).toBe(body);
  });

  it('leaves to undici what is no body at all', () => {
    for (const body of [5, {}, () => {}]) expect(toRequestBody(body, PLENTY)).toBe(body);
  });

  it('makes all kinds of streams replayable', async () => {
    const streams = [
      Readable.from(['a', 'b']),
      new Set(['a', 'b']),
      (async function* () {
        yield 'a';
        yield 'b';
      })(),
      new ReadableStream<string>({
        start(controller) {
          controller.enqueue('a');
          controller.enqueue('b');
          controller.close();
        },
      }),
    ];
    for (const stream of streams) {
      const body = toRequestBody(stream, PLENTY) as ReplayableBody;
      expect(body).toBeInstanceOf(ReplayableBody);
      expect(await read(body)).toEqual(['a', 'b']);
      expect(await read(body)).toEqual(['a', 'b']);
    }
  });
});

const chunks = fc.array(fc.oneof(fc.string(), fc.uint8Array()), { maxLength: 20 });

function sizeOf(all: readonly (string | Uint8Array)[]): number {
  return all.reduce((sum, each) => sum + Buffer.from(each as string).length, 0);
}

describe('a body that is read again', () => {
  it('is the same, chunk by chunk, wherever the reading before it ended', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(20), async (given, readFirst) => {
        const body = new ReplayableBody(given, PLENTY);
        const first = body[Symbol.asyncIterator]();
        for (let i = 0; i < readFirst; i++) await first.next();
        expect(await read(body)).toEqual(given);
        expect(await read(body)).toEqual(given);
        expect(body.isSpent).toBe(false);
      }),
    );
  });

  it('can be as long as was said, and not one byte longer', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(100), async (given, mostBytes) => {
        const body = new ReplayableBody(given, mostBytes);
        expect(await read(body)).toEqual(given);
        const isTooLong = sizeOf(given) > mostBytes;
        expect(body.isSpent).toBe(isTooLong);
        // One chunk alone is still at hand.
        if (isTooLong && given.length > 1)
          await expect(read(body)).rejects.toThrow('too long to be sent again');
      }),
    );
  });

  it('may fill what is kept to the last byte', async () => {
    const body = new ReplayableBody(['abc', 'def'], 6);
    await read(body);
    expect(body.isSpent).toBe(false);
    expect(await read(body)).toEqual(['abc', 'def']);
  });

  it('counts bytes, not characters', async () => {
    const body = new ReplayableBody(['é'], 1);
    await read(body);
    expect(body.isSpent).toBe(true);
  });

  it('is not spent before it has become too long', async () => {
    const body = new ReplayableBody(['abc', 'def'], 4);
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    expect(body.isSpent).toBe(false);
    await reader.next();
    expect(body.isSpent).toBe(true);
  });

  it('is taken from its source once', async () => {
    const { source, seen, give, end } = byHand();
    const body = new ReplayableBody(source, PLENTY);
    const first = read(body);
    const second = read(body);
    await settle();
    // Both wait for the same chunk.
    expect(seen.asked).toBe(1);
    give('a');
    await settle();
    const third = read(body);
    await settle();
    expect(seen.asked).toBe(2);
    give('b');
    await settle();
    end();
    expect(await Promise.all([first, second, third])).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(seen.asked).toBe(3);
  });

  it('is not asked for before it is read', () => {
    const { source, seen } = byHand();
    new ReplayableBody(source, PLENTY);
    expect(seen.asked).toBe(0);
  });
});

describe('a source that fails', () => {
  it('before it is read harms nobody, and is told to whoever reads', async () => {
    const source = new Readable({ read() {} });
    const body = new ReplayableBody(source, PLENTY);
    source.destroy(new Error('the disk is gone'));
    await settle();
    expect(body).toMatchObject({ isSpent: true, error: { message: 'the disk is gone' } });
    await expect(read(body)).rejects.toThrow('the disk is gone');
  });

  it('on the way is told to all readers, and is the reason', async () => {
    const body = new ReplayableBody(
      (async function* () {
        yield 'a';
        throw new Error('the disk is gone');
      })(),
      PLENTY,
    );
    const readers = await Promise.allSettled([read(body), read(body)]);
    for (const reader of readers)
      expect(reader).toMatchObject({ status: 'rejected', reason: { message: 'the disk is gone' } });
    expect(body).toMatchObject({ isSpent: true, error: { message: 'the disk is gone' } });
    await expect(read(body)).rejects.toThrow('the disk is gone');
  });

  it('when it is asked to begin is no different', async () => {
    const source = {
      [Symbol.asyncIterator](): AsyncIterator<string> {
        throw new Error('locked');
      },
    };
    const body = new ReplayableBody(source, PLENTY);
    await expect(read(body)).rejects.toThrow('locked');
    expect(body.error?.message).toBe('locked');
  });
});

describe('cancel', () => {
  it('closes what is being read, once, and lets go of its readers', async () => {
    const { source, seen } = byHand();
    const body = new ReplayableBody(source, PLENTY);
    const reading = read(body);
    await settle();
    await body.cancel();
    await body.cancel();
    expect(seen.closed).toBe(1);
    expect(await reading).toEqual([]);
    expect(body.isSpent).toBe(true);
  });

  it('destroys a stream of Node', async () => {
    const source = Readable.from(['a']);
    await new ReplayableBody(source, PLENTY).cancel();
    expect(source.destroyed).toBe(true);
    const begun = Readable.from(['a', 'b']);
    const body = new ReplayableBody(begun, PLENTY);
    await body[Symbol.asyncIterator]().next();
    await body.cancel();
    expect(begun.destroyed).toBe(true);
  });

  it.each([0, 1])('cancels a web stream of which %i chunks were read', async (count) => {
    let cancelled = 0;
    const source = new ReadableStream<string>({
      pull: (controller) => controller.enqueue('a'),
      cancel() {
        cancelled++;
      },
    });
    const body = new ReplayableBody(source, PLENTY);
    const reader = body[Symbol.asyncIterator]();
    for (let i = 0; i < count; i++) await reader.next();
    await body.cancel();
    expect(cancelled).toBe(1);
  });

  it('asks nothing of a source that has ended', async () => {
    const { source, seen, end } = byHand();
    const body = new ReplayableBody(source, PLENTY);
    const reading = read(body);
    await settle();
    end();
    await reading;
    await body.cancel();
    expect(seen.closed).toBe(0);
  });

  it('does not mind a source that fails to close', async () => {
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ value: 'a', done: false as const }),
        return: () => Promise.reject(new Error('cannot')),
      }),
    };
    const body = new ReplayableBody(source, PLENTY);
    await body[Symbol.asyncIterator]().next();
    await expect(body.cancel()).resolves.toBeUndefined();
  });
});
