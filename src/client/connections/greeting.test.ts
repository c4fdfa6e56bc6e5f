import { performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Greeting, greet } from './greeting.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** How a PING frame begins (RFC 9113, 6.7). */
const PING = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0]);

/** A greeting, and the other end of its connection. */
function begin(protocol: string | false = 'h2') {
  const [ours, theirs] = duplexPair();
  const socket = Object.assign(ours, { alpnProtocol: protocol }) as unknown as Socket;
  const closed = new Promise<void>((resolve) => ours.once('close', resolve));
  const heard: Greeting[] = [];
  let cancel!: () => void;
  const greeted = new Promise<Greeting>((resolve) => {
    cancel = greet(socket, (greeting) => {
      heard.push(greeting);
      resolve(greeting);
    });
  });
  return { theirs, greeted, heard, cancel, closed };
}

function serve(theirs: Duplex, onSession: (session: ServerHttp2Session) => void = () => {}): void {
  const session = performServerHandshake(theirs);
  session.on('error', () => {});
  onSession(session);
}

describe('a greeting', () => {
  it('is welcome where the server goes on, and leaves no connection', async () => {
    const { theirs, greeted, heard, closed } = begin();
    serve(theirs);
    expect(await greeted).toBe('welcome');
    await closed;
    expect(heard).toEqual(['welcome']);
  });

  it('is not where the server says GOAWAY', async () => {
    const { theirs, greeted, heard, closed } = begin();
    serve(theirs, (session) => session.goaway(0));
    expect(await greeted).toBe('goaway');
    await closed;
    expect(heard).toEqual(['goaway']);
  });

  it('is broken where the server says GOAWAY for an error', async () => {
    const { theirs, greeted, heard, closed } = begin();
    serve(theirs, (session) => session.goaway(11));
    expect(await greeted).toBe('broken');
    await closed;
    expect(heard).toEqual(['broken']);
  });

  it('waits for two seconds, and no longer', () => {
    const { heard } = begin();
    vi.advanceTimersByTime(1_999);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(heard).toEqual(['broken']);
  });

  it('is welcome where a server goes on, but answers no pings', async () => {
    const { theirs, heard } = begin();
    let received = Buffer.alloc(0);
    const pinged = new Promise<void>((resolve) => {
      theirs.on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes]);
        if (received.includes(PING)) resolve();
      });
    });
    // An empty SETTINGS frame (RFC 9113, 6.5), and no more.
    theirs.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    await pinged;
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(heard).toEqual(['welcome']);
  });

  it('is welcome where there is no such thing as a GOAWAY', async () => {
    const { greeted, heard, closed } = begin(false);
    expect(heard).toEqual([]);
    expect(await greeted).toBe('welcome');
    await closed;
  });

  it('ends without a word when nobody wants to know', async () => {
    const { heard, cancel, closed } = begin();
    cancel();
    cancel();
    await closed;
    expect(heard).toEqual([]);
  });
});
