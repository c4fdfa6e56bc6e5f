import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { requireHttp2 } from './require-http2.js';

type Connector = Parameters<typeof requireHttp2>[0];

class FakeSocket extends EventEmitter {
  alpnProtocol: unknown = undefined;
  isDestroyed = false;

  destroy(): void {
    this.isDestroyed = true;
  }
}

/** What the caller gets when a connection turns out like this. */
function connected(protocol: string, error: Error | null, socket: FakeSocket | null) {
  const connector = ((_options: unknown, callback: (...args: unknown[]) => void) =>
    callback(error, socket)) as unknown as Connector;
  let got: unknown[] = [];
  requireHttp2(connector)(
    { protocol } as never,
    ((...args: unknown[]) => {
      got = args;
    }) as never,
  );
  return got as [Error | null, FakeSocket | null];
}

describe('connections that must speak HTTP/2', () => {
  it('are marked where nothing was agreed on', () => {
    const [, socket] = connected('http:', null, new FakeSocket());
    expect(socket?.alpnProtocol).toBe('h2');
  });

  it('are taken where it was, and closed where it was not', () => {
    const spoken = new FakeSocket();
    spoken.alpnProtocol = 'h2';
    expect(connected('https:', null, spoken)).toEqual([null, spoken]);
    const other = new FakeSocket();
    other.alpnProtocol = 'http/1.1';
    const [error, socket] = connected('https:', null, other);
    expect([(error as NodeJS.ErrnoException).code, socket, other.isDestroyed]).toEqual([
      'EPROTO',
      null,
      true,
    ]);
  });

  it('fail as others do', () => {
    const error = new Error('refused');
    expect(connected('http:', error, null)).toEqual([error, null]);
  });
});
