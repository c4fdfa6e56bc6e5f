import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HeldBodies } from './held-bodies.js';

function requestWith(headers: IncomingMessage['headers'], readableLength = 0) {
  const socket = { isPaused: false, pause: () => (socket.isPaused = true) };
  return { socket, req: { headers, socket, readableLength } as unknown as IncomingMessage };
}

describe('HeldBodies', () => {
  it('holds nothing of a request without a body', () => {
    const bodies = new HeldBodies(0);
    for (const headers of [{}, { 'content-length': '0' }]) {
      const { req, socket } = requestWith(headers);
      expect([bodies.hold(req), bodies.bytes, socket.isPaused]).toEqual([true, 0, false]);
    }
  });

  it('lets short ones be read, as many as there is room for', () => {
    const bodies = new HeldBodies(20_000);
    const { req, socket } = requestWith({ 'content-length': '16384' });
    expect([bodies.hold(req), bodies.bytes, socket.isPaused]).toEqual([true, 16_384, false]);
    const next = requestWith({ 'content-length': '4000' });
    expect(bodies.hold(next.req)).toBe(false);
    bodies.release(req);
    bodies.release(req);
    expect([bodies.bytes, bodies.hold(next.req), bodies.bytes]).toEqual([0, true, 4_000]);
  });

  it.each([
    [{ 'content-length': '1000000' }, 65_536],
    [{ 'content-length': '20000' }, 20_000],
    [{ 'transfer-encoding': 'chunked' }, 65_536],
  ])('pauses the client of %j, and then counts what has come', async (headers, most) => {
    const bodies = new HeldBodies(65_536);
    const { req, socket } = requestWith(headers, 123);
    expect([bodies.hold(req), bodies.bytes, socket.isPaused]).toEqual([true, most, true]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(bodies.bytes).toBe(123);
    bodies.release(req);
    expect(bodies.bytes).toBe(0);
  });

  it('counts all that may come of one on a stream, which nobody can pause', async () => {
    const bodies = new HeldBodies(100_000);
    const { req, socket } = requestWith({ 'transfer-encoding': 'chunked' }, 123);
    Object.assign(socket, { isStream: true });
    expect([bodies.hold(req), bodies.bytes, socket.isPaused]).toEqual([true, 65_536, false]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(bodies.bytes).toBe(65_536);
    bodies.release(req);
    expect(bodies.bytes).toBe(0);
  });

  it('counts nothing of one that was let go at once', async () => {
    const bodies = new HeldBodies(65_536);
    const { req } = requestWith({ 'transfer-encoding': 'chunked' }, 123);
    bodies.hold(req);
    bodies.release(req);
    await new Promise((resolve) => setImmediate(resolve));
    expect(bodies.bytes).toBe(0);
  });
});
