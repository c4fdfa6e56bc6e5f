import { type IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_DEADLINE, Ticket } from '../../core/index.js';
import type { GuardedRequest } from '../guarded-request.js';
import { requestOf } from './guarded-response.js';
import { Handshake, handshakeOf } from './handshake.js';

const AGREED = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
const DECLINED = 'HTTP/1.1 401 Unauthorized\r\n\r\n';

class FakeSocket extends Duplex {
  said = '';
  override _read() {}
  override _write(chunk: Buffer, _encoding: unknown, callback: () => void) {
    this.said += chunk.toString('latin1');
    callback();
  }
}

let socket: FakeSocket;
let request: GuardedRequest;
let handshake: Handshake;
let ended: number;
let keptMs: number;
/** Turns of the loop until streams have told what they have to tell. */
const told = () => new Promise((resolve) => setImmediate(resolve));

function begin(method = 'GET') {
  socket = new FakeSocket({ allowHalfOpen: true });
  ended = 0;
  keptMs = 75_000;
  const connection = {
    onEnd: () => ended++,
    keepFor: (ms: number) => {
      keptMs = ms;
    },
    linger: () => socket.end(),
    answerHeaders: [],
  };
  request = { state: 'running', method, connection, deadlineMs: 5_000 } as unknown as GuardedRequest;
  handshake = new Handshake(request, socket);
}

beforeEach(() => begin());

describe('a handshake', () => {
  it('is over with the word that the other protocol begins, which is neither late nor idle', () => {
    handshake.deliver(() => socket.write(AGREED));
    expect([ended, keptMs, request.deadlineMs]).toEqual([1, 0, NO_DEADLINE]);
    expect(socket.said).toBe(AGREED);
    expect(handshake.isError()).toBe(false);
    socket.write('HTTP/1.1 500 says the other protocol');
    expect(handshake.isError()).toBe(false);
    expect(ended).toBe(1);
  });

  it('is over with bytes that are no answer: another protocol has begun', () => {
    handshake.deliver(() => socket.write(new Uint8Array([1, 2, 3])));
    expect(ended).toBe(1);
  });

  it('goes on behind hints, and until somebody answers', () => {
    handshake.deliver(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'));
    expect(ended).toBe(0);
    socket.write(Buffer.from(AGREED));
    expect(ended).toBe(1);
  });

  it('is over with the end of any other answer, and keeps its deadline', async () => {
    handshake.deliver(() => socket.write(DECLINED));
    await told();
    expect([ended, keptMs, request.deadlineMs]).toEqual([0, 75_000, 5_000]);
    socket.end('a body');
    await told();
    expect(ended).toBe(1);
  });

  it('is over when its connection is ended without a word, or with the last one', async () => {
    handshake.deliver(() => socket.end(DECLINED));
    await told();
    expect(ended).toBe(1);
    begin();
    handshake.deliver(() => socket.end());
    await told();
    expect(ended).toBe(1);
  });

  it('of a tunnel is over with any success', () => {
    begin('CONNECT');
    handshake.deliver(() => socket.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
    expect([ended, keptMs]).toEqual([1, 0]);
    begin('CONNECT');
    handshake.deliver(() => socket.write('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    expect(ended).toBe(0);
    expect(handshake.isError()).toBe(true);
  });

  it('ends its connection when its client says that it waits no longer', async () => {
    handshake.deliver(() => {});
    socket.resume().push(null);
    await told();
    expect(socket.destroyed).toBe(true);
  });

  it('lets a client stop talking that has its answer', async () => {
    handshake.deliver(() => socket.write(AGREED));
    socket.resume().push(null);
    await told();
    expect(socket.destroyed).toBe(false);
  });

  it('ends its connection when its handler throws, and hides nothing', () => {
    const failure = new Error('of the handler');
    expect(() =>
      handshake.deliver(() => {
        throw failure;
      }),
    ).toThrow(failure);
    expect(socket.destroyed).toBe(true);
  });

  it('that broke while it waited reaches nobody', async () => {
    socket.destroy(new Error('reset'));
    const emit = vi.fn();
    handshake.deliver(emit);
    await told();
    expect(emit).not.toHaveBeenCalled();
    handshake.refuse(request, 'not-ready');
    expect(socket.said).toBe('');
  });

  it('is refused in a way that closes its connection', async () => {
    handshake.refuse(request, 'limited');
    socket.push(null);
    await told();
    expect(socket.said).toMatch(/^HTTP\/1\.1 429 [\s\S]*connection: close/);
    expect(ended).toBe(0);
  });

  it('is answered for when the time is over, and what its handler says then is not heard', async () => {
    handshake.deliver(() => {});
    handshake.cutOff(request);
    expect(ended).toBe(1);
    expect(handshake.isError()).toBe(true);
    socket.write(AGREED);
    socket.end('more');
    await told();
    expect(socket.said).toMatch(/^HTTP\/1\.1 503 /);
    expect(socket.said).not.toContain('101');
  });

  it('is cut off in the middle of an answer', () => {
    handshake.deliver(() => socket.write(DECLINED));
    handshake.cutOff(request);
    expect(socket.destroyed).toBe(true);
    expect(socket.said).toBe(DECLINED);
  });

  it('waits for its client when that takes nothing of an answer, or when the answer goes on', () => {
    const ticket = new Ticket(
      { criticality: 'CRITICAL', customer: '', deadlineMs: NO_DEADLINE, attempt: 1, order: 0 },
      false,
      0,
      0,
    );
    Object.assign(request, { ticket });
    handshake.deliver(() => {});
    expect(handshake.isWaitingForClient(request, 60_000)).toBe(false);
    socket.write(DECLINED);
    expect(handshake.isWaitingForClient(request, 99)).toBe(false);
    expect(handshake.isWaitingForClient(request, 500)).toBe(false);
    expect(handshake.isWaitingForClient(request, 1_001)).toBe(true);
    socket._write = () => {};
    socket.write('x'.repeat(100_000));
    expect(handshake.isWaitingForClient(request, 500)).toBe(true);
  });

  it('leaves what others have put in place of `write` meanwhile', () => {
    let calls = 0;
    handshake.deliver(() => {
      const { write } = socket;
      socket.write = ((...args: Parameters<typeof write>) => {
        calls++;
        return write.apply(socket, args);
      }) as typeof write;
      socket.write(AGREED);
    });
    socket.write('more');
    expect([calls, ended]).toEqual([2, 1]);
  });
});

describe('a handler of ordinary requests', () => {
  const req = () => ({ socket, method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 }) as never;

  it('may answer a handshake, and its answer is the end of it', () => {
    handshake.deliver(() => {
      const res = new ServerResponse(req());
      expect(handshakeOf(req(), res)).toBe(request);
      expect(requestOf(res)).toBe(request);
      // Another one is another request.
      expect(handshakeOf(req(), new ServerResponse(req()))).toBeUndefined();
      res.end('no');
    });
    expect(ended).toBe(1);
  });

  it('has no handshake where there is none, or it is over', () => {
    const res = new ServerResponse(req());
    expect(handshakeOf({ socket: {} } as IncomingMessage, res)).toBeUndefined();
    handshake.deliver(() => {});
    request.state = 'done';
    expect(handshakeOf(req(), res)).toBeUndefined();
  });
});
