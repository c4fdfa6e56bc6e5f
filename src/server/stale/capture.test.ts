import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { tapAnswer } from './answer-tap.js';
import { Capture } from './capture.js';
import type { CopyKeeper, CopyPlan } from './copy-keeper.js';
import { exchange } from './exchange.contract.js';

/** Plans a copy of everything, and notes what it is given. */
class Recorder {
  readonly bodies: Buffer[] = [];
  givenUp = 0;
  pending = 0;
  room = 100;
  head = new Map<string, string[]>();
  isWanted = true;

  plan(): CopyPlan | undefined {
    if (!this.isWanted) return undefined;
    const lifetime = { isPublic: true, ageMs: 0, freshMs: 0, staleMs: 1 };
    return { key: 'key', head: this.head, lifetime, variedBy: [], nowMs: 0, wallMs: 0 };
  }

  reserve(bytes: number, heldBytes: number): boolean {
    if (heldBytes + bytes > this.room) return false;
    this.pending += bytes;
    return true;
  }

  release(bytes: number): void {
    this.pending -= bytes;
  }

  keep(_plan: CopyPlan, body: Buffer, _req: IncomingMessage): void {
    this.bodies.push(body);
  }
}

function captured(set: Partial<Recorder> = {}) {
  const keeper = Object.assign(new Recorder(), set);
  const { req, res } = exchange();
  tapAnswer(res, new Capture(req, keeper as unknown as CopyKeeper));
  return { keeper, req, res, kept: () => keeper.bodies.map(String) };
}

describe('Capture', () => {
  it('copies what is ended at once', () => {
    const { res, keeper, kept } = captured();
    res.end('hello');
    expect(kept()).toEqual(['hello']);
    expect([keeper.pending, keeper.givenUp, res.listenerCount('close')]).toEqual([0, 0, 0]);
  });

  it('copies what comes in pieces, in any encoding', () => {
    const { res, keeper, kept } = captured();
    const bytes = Buffer.from('lo');
    res.write('68656c', 'hex');
    res.write(bytes);
    expect(keeper.pending).toBe(5);
    // Whoever wrote it may use it again.
    bytes.fill('x');
    res.write(' ', () => {});
    res.end('wörld');
    expect(kept()).toEqual(['hello wörld']);
    expect([keeper.pending, keeper.givenUp]).toEqual([0, 0]);
  });

  it('copies what has no body', () => {
    const { res, kept } = captured();
    res.end();
    expect(kept()).toEqual(['']);
  });

  it('copies into memory of its own, not of Node’s pool', () => {
    const { res, keeper } = captured();
    res.end('hi');
    expect(keeper.bodies[0]!.buffer.byteLength).toBe(2);
    const pieces = captured();
    pieces.res.write('h');
    pieces.res.end('i');
    expect(pieces.keeper.bodies[0]!.buffer.byteLength).toBe(2);
  });

  it('holds nothing of what is not wanted', () => {
    const { res, keeper, kept } = captured({ isWanted: false });
    res.write('a');
    res.end('b');
    expect(kept()).toEqual([]);
    expect([keeper.pending, keeper.givenUp, res.listenerCount('close')]).toEqual([0, 0, 0]);
  });

  it('gives up what is too large, and lets it pass', () => {
    const { res, keeper, kept } = captured({ room: 4 });
    res.write('abc');
    res.write('de');
    expect([keeper.pending, keeper.givenUp]).toEqual([0, 1]);
    res.write('f');
    res.end('g');
    expect(kept()).toEqual([]);
    expect([keeper.pending, keeper.givenUp]).toEqual([0, 1]);
  });

  it('gives up what the client did not wait for', () => {
    const { res, keeper, kept } = captured();
    res.write('abc');
    expect(res.listenerCount('close')).toBe(1);
    res.write('');
    expect(res.listenerCount('close')).toBe(1);
    res.destroy();
    res.emit('close');
    expect([keeper.pending, keeper.givenUp]).toEqual([0, 1]);
    // A handler that ends it all the same has not ended the answer.
    res.end();
    expect(kept()).toEqual([]);
    expect(keeper.givenUp).toBe(1);
  });

  it.each(['goes while it', 'has gone before it'])(
    'gives up when a client %s waits behind other answers',
    (when) => {
      const { req, res, keeper } = captured();
      if (when === 'has gone before it') req.socket.destroy();
      res.write('abc');
      req.socket.emit('close');
      expect([keeper.pending, keeper.givenUp]).toEqual([0, 1]);
      res.write('def');
      expect([keeper.pending, keeper.givenUp]).toEqual([0, 1]);
    },
  );

  it('gives up what is ended after the client has gone, unheard', () => {
    const { res, keeper, kept } = captured();
    res.writeHead(200);
    res.destroy();
    res.end('abc');
    expect(kept()).toEqual([]);
    expect([keeper.pending, keeper.givenUp]).toEqual([0, 1]);
  });

  it.each([
    ['5', ['hello']],
    ['6', []],
    ['4', []],
    ['five', []],
  ])('with a length of %s said keeps %j', (length, bodies) => {
    const { res, keeper, kept } = captured({ head: new Map([['content-length', [length]]]) });
    res.end('hello');
    expect(kept()).toEqual(bodies);
    expect(keeper.givenUp).toBe(1 - bodies.length);
    expect(keeper.pending).toBe(0);
  });

  it('keeps once, however often it is ended or closed', () => {
    const { res, keeper, kept } = captured();
    res.write('a');
    res.end('b');
    res.end();
    res.emit('close');
    expect(kept()).toEqual(['ab']);
    expect([keeper.pending, keeper.givenUp]).toEqual([0, 0]);
  });
});
