import { describe, expect, it } from 'vitest';
import { CallStream, UnfinishedBodies } from './call-stream.js';
import { ERRORS, FLAGS, FRAMES } from './frames.js';
import { body, connected, frame, head, MESSAGE } from './peer.contract.js';

const HEAD = { method: 'POST', path: '/m', type: 'application/grpc' };

describe('CallStream', () => {
  it.each([
    ['application/grpc', true],
    ['application/grpc+proto', true],
    ['application/grpc;charset=x', true],
    ['application/grpc-web', false],
    ['text/plain', false],
  ])('takes %s: %s', (type, isTaken) => {
    expect(new CallStream({ ...HEAD, type }, 0).refusal === undefined).toBe(isTaken);
  });

  it('keeps no path that is longer than all methods', () => {
    expect(new CallStream({ ...HEAD, path: `/${'m'.repeat(1_000)}` }, 0).path).toBe('');
  });
});

describe('UnfinishedBodies', () => {
  it('joins pieces, also the smallest', () => {
    const bodies = new UnfinishedBodies();
    const call = new CallStream(HEAD, 0);
    const whole = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 251));
    for (const byte of whole) expect(bodies.add(call, Buffer.from([byte]))).toBe(true);
    expect(bodies.take(call)).toEqual(whole);
    expect(bodies.take(call)).toBeUndefined();
  });

  it('are bounded on a connection, and have a time to end', () => {
    const { peer, connection } = connected();
    const piece = Buffer.alloc(16_000);
    for (let i = 0; i < 300; i++) peer.say(head(2 * i + 1), frame(FRAMES.data, 0, 2 * i + 1, piece));
    const refused = peer.frames();
    // 4 MB are 258 of them, each with what a buffer takes.
    expect(refused.filter(({ type }) => type === FRAMES.rstStream)).toHaveLength(300 - 258);
    expect(refused[0]!.payload.toString('latin1')).toContain('too many messages');
    expect(refused[1]!.payload.readUInt32BE(0)).toBe(ERRORS.none);
    for (let i = 0; i < 11; i++) connection.sweep();
    const late = peer.frames();
    expect(late.filter(({ type }) => type === FRAMES.rstStream)).toHaveLength(258);
    expect(late[0]!.payload.toString('latin1')).toContain('not all there');
    // What was given up takes no room any more.
    peer.say(head(1_001), frame(FRAMES.data, 0, 1_001, MESSAGE.subarray(0, 2)));
    peer.say(frame(FRAMES.data, FLAGS.endStream, 1_001, MESSAGE.subarray(2)), head(1_003), body(1_003));
    expect(peer.types()).toEqual(['headers', 'data', 'headers', 'headers', 'data', 'headers']);
  });
});
