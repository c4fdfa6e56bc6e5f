import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../dispatch/attempt.js';
import { Connection } from './connection.js';
import { FakeSocket, Owner, Told } from './fakes.contract.js';

const GET = { head: 'GET / HTTP/1.1\r\n\r\n', body: undefined, isHead: false };

function sent(react?: (event: string, told: Told) => unknown, request: typeof GET | object = GET) {
  const socket = new FakeSocket();
  const owner = new Owner();
  const connection = new Connection(socket as unknown as Socket, owner);
  socket.reader = connection;
  const told = new Told(react);
  const isSent = connection.send(told as unknown as Attempt, { ...GET, ...request });
  return { socket, owner, connection, told, isSent };
}

const LENGTH = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\nKeep-Alive: timeout=9\r\n\r\nhello world';
const CHUNKS =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nx-t: 1\r\n\r\n';
const HINTS = `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${LENGTH}`;
const NONE = 'HTTP/1.1 204 No Content\r\n\r\n';
const ANSWERS = { LENGTH, CHUNKS, HINTS, NONE };

const cuts = (text: string) =>
  fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 12 }).map((places) => {
    const sorted = places.sort((a, b) => a - b);
    return [0, ...sorted].map((from, i) => text.slice(from, sorted[i] ?? text.length));
  });

describe.each(Object.entries(ANSWERS))('an answer (%s)', (name, text) => {
  const body = name === 'NONE' ? '' : 'hello world';

  it('is the same whatever pieces it comes in, and however often its reader waits', () => {
    const whole = sent();
    whole.socket.receive(text);
    const expected = whole.told.events.filter((event) => event !== 'data');
    expect(whole.owner.free).toHaveLength(1);
    fc.assert(
      fc.property(cuts(text), fc.array(fc.boolean(), { minLength: 1 }), (pieces, waits) => {
        let asked = 0;
        const { socket, owner, told } = sent((event) => {
          const mayWait = event === 'data' || event.startsWith('200');
          return !(mayWait && waits[asked++ % waits.length]);
        });
        for (const piece of pieces) {
          for (let i = 0; i < 50 && !socket.isReading; i++) told.resume();
          socket.receive(piece);
        }
        for (let i = 0; i < 50 && told.ends.length === 0; i++) told.resume();
        expect(told.events.filter((event) => event !== 'data')).toEqual(expected);
        expect([told.body, owner.free, socket.destroyed]).toEqual([body, whole.owner.free, false]);
        // The end of an idle connection is seen only by who reads it.
        expect(socket.isReading).toBe(true);
      }),
    );
  });

  it('that is given up at any word of it ends once, and its connection with it', () => {
    fc.assert(
      fc.property(cuts(text), fc.nat(12), fc.boolean(), (pieces, at, byThrowing) => {
        let events = 0;
        const { socket, told, owner, isSent } = sent((_event, self) => {
          if (events++ !== at) return true;
          if (byThrowing && at > 0) throw new TypeError('mine');
          self.abort(new RangeError('enough'));
          return at % 2 === 0;
        });
        for (const piece of pieces) if (isSent) socket.receive(piece);
        if (at === 0) {
          // Nothing was written: somebody else may use it.
          expect([isSent, told.events, socket.written, socket.destroyed]).toEqual([
            false,
            ['connect', 'error'],
            '',
            false,
          ]);
          return;
        }
        const isComplete = told.events[at]?.startsWith('complete') ?? true;
        expect(told.ends.filter((end) => end === 'error')).toHaveLength(
          isComplete && !(byThrowing && events > at) ? 0 : 1,
        );
        expect(socket.destroyed).toBe(!isComplete);
        expect(owner.free).toHaveLength(isComplete ? 1 : 0);
        // Nor does it hear of anything behind that.
        if (!isComplete) expect(told.events.at(-1)).toBe('error');
        if (!isComplete) expect(told.error).toBeInstanceOf(byThrowing ? TypeError : RangeError);
        if (!isComplete) expect((socket.cause as { code?: string }).code).toBe('UND_ERR_INFO');
      }),
    );
  });

  it('that is cut off anywhere fails, and not before', () => {
    for (let length = 0; length < text.length; length++) {
      const { socket, told } = sent();
      if (length > 0) socket.receive(text.slice(0, length));
      expect(told.ends).toEqual([]);
      socket.emit('end');
      socket.emit('close');
      expect(told.ends).toEqual(['error']);
      expect(told.error).toMatchObject({ code: 'UND_ERR_SOCKET', message: 'other side closed' });
    }
  });

  it('with something behind it is believed, and its connection is not', () => {
    for (let length = 1; length < 4; length++) {
      const together = sent();
      together.socket.receive(text + 'HTTP/1.1 200 OK'.slice(0, length));
      const later = sent();
      later.socket.receive(text);
      later.socket.receive('HTTP/1.1 200 OK'.slice(0, length));
      for (const { socket, told } of [together, later]) {
        expect(told.ends).toHaveLength(1);
        expect(told.body).toBe(body);
        expect([told.error, socket.destroyed]).toEqual([undefined, true]);
      }
      expect(together.owner.free).toEqual([]);
    }
  });
});

describe('a head', () => {
  const headOf = (bytes: number) => {
    const rest = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\na: \r\n\r\n';
    return rest.replace('a: ', `a: ${'x'.repeat(bytes - rest.length)}`);
  };

  it.each([1, 2, 3, 9, 100])('may be as long as Node has it, and no longer, also in %s pieces', (pieces) => {
    for (const [bytes, ends] of [
      [maxHeaderSize, ['complete ']],
      [maxHeaderSize + 1, ['error']],
      [maxHeaderSize + 2_000, ['error']],
      [2 * maxHeaderSize, ['error']],
      [3.5 * maxHeaderSize, ['error']],
    ] as const) {
      const { socket, told } = sent();
      const text = headOf(bytes);
      const size = Math.ceil(text.length / pieces);
      for (let at = 0; at < text.length; at += size) socket.receive(text.slice(at, at + size));
      expect(told.ends, `${bytes} bytes`).toEqual(ends);
      if (ends[0] === 'error') expect(told.error).toMatchObject({ code: 'UND_ERR_HEADERS_OVERFLOW' });
    }
  });

  it.each(['SSH-2.0-x\r\n', '\r\nHTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\n', 'HTTP/2'])(
    'that is none is not waited for: %j',
    (text) => {
      const { socket, told } = sent();
      socket.receive(text);
      expect([told.ends, socket.destroyed]).toEqual([['error'], true]);
    },
  );

  it.each([100, 101])('of %s is refused', (status) => {
    const { socket, told } = sent();
    socket.receive(`HTTP/1.1 ${status} X\r\n\r\n${LENGTH}`);
    expect(told.ends).toEqual(['error']);
    expect(told.error).toMatchObject({ code: 'UND_ERR_SOCKET' });
  });
});

describe('who throws while a request is sent', () => {
  it.each(['body-sent', 'sent'])('at %s is told of it, and nobody else', (event) => {
    const { socket, told } = sent(
      (each) => {
        if (each === event) throw new TypeError('mine');
      },
      { body: Buffer.from('x') },
    );
    expect(told.ends).toEqual(['error']);
    expect([told.error, socket.destroyed]).toEqual([new TypeError('mine'), true]);
  });
});

describe('time', () => {
  it('is given for a head, and anew for each piece of a body', () => {
    const { connection, owner, socket, told } = sent();
    expect(connection.dueMs).toBe(1_000);
    owner.now = 900;
    socket.receive(LENGTH.slice(0, 20));
    expect(connection.dueMs).toBe(1_000);
    socket.receive(LENGTH.slice(20, -5));
    expect(connection.dueMs).toBe(1_400);
    owner.now = 1_300;
    socket.receive(LENGTH.slice(-5, -1));
    expect(connection.dueMs).toBe(1_800);
    owner.now = 1_800;
    connection.onDue();
    expect(told.error).toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
    expect(connection.dueMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not run while the reader waits, and begins anew behind that', () => {
    const { connection, owner, socket, told } = sent((event) => event !== 'data');
    socket.receive(LENGTH.slice(0, -1));
    owner.now = 10_000;
    connection.onDue();
    expect([told.ends, connection.dueMs]).toEqual([[], Number.POSITIVE_INFINITY]);
    told.resume();
    expect([socket.isReading, connection.dueMs]).toEqual([true, 10_500]);
  });
});
