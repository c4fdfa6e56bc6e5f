import { describe, expect, it } from 'vitest';
import { ERRORS, FLAGS, FRAMES, PREFACE, WINDOW_BYTES } from './frames.js';
import { GrpcConnection } from './grpc-connection.js';
import { body, connected, FIELDS, frame, head, MESSAGE, number, Peer, settings } from './peer.contract.js';

describe('GrpcConnection', () => {
  it('says its settings first, and answers a call in one write', () => {
    const peer = new Peer();
    new GrpcConnection(peer, (path, message) => Buffer.concat([Buffer.from(path), message]));
    expect(peer.types()).toEqual(['settings', 'windowUpdate']);
    // Byte by byte: frames come as they like.
    for (const byte of Buffer.concat([PREFACE, frame(FRAMES.settings, 0, 0), head(1), body(1)]))
      peer.say(Buffer.from([byte]));
    const [ack, first, message, last] = peer.frames();
    expect(ack).toMatchObject({ type: FRAMES.settings, flags: FLAGS.ack });
    expect(first).toMatchObject({ type: FRAMES.headers, flags: FLAGS.endHeaders, stream: 1 });
    expect(message!.payload).toEqual(Buffer.from([0, 0, 0, 0, 3, 0x2f, 0x6d, 7]));
    expect(last).toMatchObject({ type: FRAMES.headers, flags: FLAGS.endHeaders | FLAGS.endStream });
  });

  it('takes header fields and bodies in pieces, with padding and priorities', () => {
    const { peer } = connected();
    const padded = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 9]), FIELDS.subarray(0, 4), Buffer.alloc(3)]);
    peer.say(
      frame(FRAMES.headers, FLAGS.padded | FLAGS.priority, 1, padded),
      frame(FRAMES.continuation, FLAGS.endHeaders, 1, FIELDS.subarray(4)),
      frame(FRAMES.data, FLAGS.padded, 1, Buffer.from([2, 0, 0, 0, 9, 9])),
      frame(FRAMES.data, FLAGS.endStream, 1, MESSAGE.subarray(3)),
    );
    expect(peer.types()).toEqual(['headers', 'data', 'headers']);
  });

  it('sends no more than the client takes', () => {
    const { peer } = connected(() => Buffer.alloc(100, 1));
    peer.say(settings(40), head(1), body(1));
    expect(peer.frames().map(({ payload }) => payload.length)).toEqual([0, 20, 40]);
    peer.say(frame(FRAMES.windowUpdate, 0, 1, number(30)));
    expect(peer.frames().map(({ payload }) => payload.length)).toEqual([30]);
    // The rest, as all streams may be sent more.
    peer.say(settings(1_000));
    expect(peer.types()).toEqual(['data', 'headers', 'settings']);
    peer.say(head(3), body(3));
    expect(peer.types()).toEqual(['headers', 'data', 'headers']);
  });

  it('sends no more than the connection takes', () => {
    const { peer } = connected(() => Buffer.alloc(40_000, 1));
    peer.say(settings(1_000_000), head(1), body(1), head(3), body(3));
    const sent = () =>
      peer.frames().reduce((sum, { type, payload }) => sum + (type === FRAMES.data ? payload.length : 0), 0);
    expect(sent()).toBe(WINDOW_BYTES);
    peer.say(frame(FRAMES.rstStream, 0, 3, number(8)), frame(FRAMES.windowUpdate, 0, 0, number(100_000)));
    expect(sent()).toBe(0);
    peer.say(head(5), body(5));
    expect(sent()).toBe(40_005);
  });

  it('answers later, but not who has given up', async () => {
    const resolves: ((message: Buffer) => void)[] = [];
    const { peer } = connected(() => new Promise((resolve) => resolves.push(resolve)));
    peer.say(head(1), body(1), head(3), body(3), frame(FRAMES.rstStream, 0, 1, number(8)));
    for (const resolve of resolves) resolve(Buffer.from([1]));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(peer.frames().map(({ stream }) => stream)).toEqual([3, 3, 3]);
  });

  it('bounds what those have asked for who have given up', async () => {
    const resolves: ((message: Buffer) => void)[] = [];
    const { peer } = connected(() => new Promise((resolve) => resolves.push(resolve)));
    for (let i = 0; i < 5_000; i++)
      peer.say(head(2 * i + 1), body(2 * i + 1), frame(FRAMES.rstStream, 0, 2 * i + 1, number(8)));
    expect(resolves).toHaveLength(4_096);
    expect(new Set(peer.types())).toEqual(new Set(['rstStream']));
    for (const resolve of resolves) resolve(Buffer.from([1]));
    await new Promise((resolve) => setImmediate(resolve));
    peer.say(head(10_001), body(10_001));
    expect(resolves).toHaveLength(4_097);
  });

  it('gives back what it has read', () => {
    const { peer } = connected();
    peer.say(head(1), body(1));
    // Bytes for a call that is over count too: half of 16 MB are 512 frames.
    const large = frame(FRAMES.data, 0, 1, Buffer.alloc(16_384));
    for (let i = 0; i < 512; i++) peer.say(large);
    const [update, ...more] = peer.frames().filter(({ type }) => type === FRAMES.windowUpdate);
    expect(update!.payload.readUInt32BE(0)).toBeGreaterThanOrEqual(8 * 2 ** 20);
    expect(more).toEqual([]);
  });

  it('says that it ends, answers what comes meanwhile, and ends', () => {
    const { peer, connection } = connected();
    connection.drain();
    const [goaway, ping] = peer.frames();
    expect(goaway!.payload.readUInt32BE(0)).toBe(2 ** 31 - 1);
    peer.say(head(1), body(1));
    expect(peer.types()).toEqual(['headers', 'data', 'headers']);
    peer.say(frame(FRAMES.ping, FLAGS.ack, 0, ping!.payload), head(3), body(3));
    const [last, ...more] = peer.frames();
    expect([last!.type, last!.payload.readUInt32BE(0)]).toEqual([FRAMES.goaway, 1]);
    expect(more).toEqual([]);
    expect(peer.writableEnded).toBe(true);
  });

  it('refuses what is too large before it would have to wait for the rest', () => {
    const { peer } = connected();
    peer.say(head(1));
    for (let left = WINDOW_BYTES; left > 0; left -= 16_384)
      peer.say(frame(FRAMES.data, 0, 1, Buffer.alloc(Math.min(left, 16_384))));
    const [refusal, reset] = peer.frames();
    expect(refusal!.payload.toString('latin1')).toContain('the message is too large');
    expect(reset).toMatchObject({ type: FRAMES.rstStream, stream: 1 });
  });

  it.each([
    ['another protocol', ERRORS.protocol, [Buffer.from('GET / HTTP/1.1\r\n')], false],
    ['a frame that is too large', ERRORS.frameSize, [Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1])], true],
    ['an even stream', ERRORS.protocol, [head(2)], true],
    [
      'fields of nobody',
      ERRORS.compression,
      [frame(FRAMES.headers, FLAGS.endHeaders, 1, Buffer.from([0xff, 0x7f]))],
      true,
    ],
    ['fields that are interrupted', ERRORS.protocol, [head(1, 0), body(1)], true],
    ['a continuation of nothing', ERRORS.protocol, [frame(FRAMES.continuation, 4, 1)], true],
    ['a body before its call', ERRORS.protocol, [body(1)], true],
    [
      'more padding than frame',
      ERRORS.protocol,
      [frame(FRAMES.data, FLAGS.padded, 1, Buffer.from([9, 1]))],
      true,
    ],
    ['a push', ERRORS.protocol, [frame(FRAMES.pushPromise, 4, 1)], true],
    ['a window that grows by nothing', ERRORS.protocol, [frame(FRAMES.windowUpdate, 0, 0, number(0))], true],
    ['a reset before its call', ERRORS.protocol, [frame(FRAMES.rstStream, 0, 1, number(8))], true],
    ['a ping that is too short', ERRORS.frameSize, [frame(FRAMES.ping, 0, 0, number(0))], true],
    ['settings of a stream', ERRORS.protocol, [frame(FRAMES.settings, 0, 1)], true],
    ['settings that are cut off', ERRORS.frameSize, [frame(FRAMES.settings, 0, 0, number(0))], true],
    ['a reset that is cut off', ERRORS.frameSize, [frame(FRAMES.rstStream, 0, 1)], true],
    [
      'a window beyond all bounds',
      ERRORS.protocol,
      [frame(FRAMES.windowUpdate, 0, 0, number(2 ** 31 - 1))],
      true,
    ],
  ])('ends for %s', (_, code, chunks, withPreface) => {
    const peer = new Peer();
    new GrpcConnection(peer, (_path, message) => message);
    peer.frames();
    if (withPreface) peer.say(PREFACE);
    peer.say(...chunks);
    expect(peer.goaway()).toBe(code);
    expect(peer.writableEnded).toBe(true);
    // Nothing is heard any more.
    peer.say(head(1), body(1));
    expect(peer.frames()).toEqual([]);
  });

  it.each([
    ['pings', (_: number) => frame(FRAMES.ping, 0, 0, Buffer.alloc(8))],
    ['settings', (_: number) => frame(FRAMES.settings, 0, 0)],
    ['priorities', (_: number) => frame(FRAMES.priority, 0, 1, Buffer.alloc(5))],
  ])('ends for %s without end', (_, flood) => {
    const { peer } = connected();
    for (let i = 0; i < 1_001; i++) peer.say(flood(i));
    expect(peer.goaway()).toBe(ERRORS.enhanceYourCalm);
  });

  it('ends for fields without end, and calls that are given up at once', () => {
    const long = connected();
    long.peer.say(head(1, 0));
    for (let i = 0; i < 3; i++) long.peer.say(frame(FRAMES.continuation, 0, 1, Buffer.alloc(8_000)));
    expect(long.peer.goaway()).toBe(ERRORS.enhanceYourCalm);
    const rapid = connected();
    for (let i = 0; i <= 1_000; i++)
      rapid.peer.say(head(2 * i + 1), frame(FRAMES.rstStream, 0, 2 * i + 1, number(8)));
    expect(rapid.peer.goaway()).toBe(ERRORS.enhanceYourCalm);
  });

  it('ends for resets of calls that are over, and for calls whose answers nobody takes', () => {
    const over = connected();
    over.peer.say(head(1), body(1));
    for (let i = 0; i <= 1_000; i++) over.peer.say(frame(FRAMES.rstStream, 0, 1, number(8)));
    expect(over.peer.goaway()).toBe(ERRORS.enhanceYourCalm);
    const untaken = connected();
    untaken.peer.say(settings(0));
    for (let i = 0; i <= 1_000; i++)
      untaken.peer.say(head(2 * i + 1), body(2 * i + 1), frame(FRAMES.rstStream, 0, 2 * i + 1, number(8)));
    expect(untaken.peer.goaway()).toBe(ERRORS.enhanceYourCalm);
  });

  it('ends when the last call was no gRPC, and when the last answer has waited for settings', () => {
    const other = connected();
    other.peer.say(frame(FRAMES.headers, FLAGS.endHeaders, 1, Buffer.from([0x82, 0x84])));
    other.connection.drain();
    other.connection.finishDrain();
    expect(other.peer.writableEnded).toBe(false);
    other.peer.say(body(1));
    expect(other.peer.writableEnded).toBe(true);
    const waiting = connected();
    waiting.peer.say(settings(0), head(1), body(1));
    waiting.connection.drain();
    waiting.connection.finishDrain();
    expect(waiting.peer.writableEnded).toBe(false);
    waiting.peer.say(settings(100));
    expect(waiting.peer.writableEnded).toBe(true);
  });

  it('says which calls it cannot take, and what failed', () => {
    const { peer } = connected(() => {
      throw new RangeError('100 % wrong, wörtlich');
    });
    const get = Buffer.concat([Buffer.from([0x82, 0x84])]);
    peer.say(frame(FRAMES.headers, 5, 1, get), head(3), body(3));
    peer.say(head(5), frame(FRAMES.data, FLAGS.endStream, 5, Buffer.from([1, 0, 0, 0, 0])));
    peer.say(head(7, FLAGS.endHeaders | FLAGS.endStream));
    const said = peer.frames().map(({ payload }) => payload.toString('latin1'));
    expect(said[0]).toContain('415');
    expect(said[1]).toContain('100 %25 wrong, w%C3%B6rtlich');
    expect(said[2]).toContain('compressed messages are not known');
    expect(said[2]).toContain('identity');
    expect(said[3]).toContain('the call has no message');
  });
});
