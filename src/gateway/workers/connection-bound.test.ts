import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { boundConnections } from './connection-bound.js';

class FakeSocket extends EventEmitter {
  isDestroyed = false;

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

function connect(): FakeSocket {
  const socket = new FakeSocket();
  channel('net.server.socket').publish({ socket });
  return socket;
}

it('closes and tells of what is beyond, until others are gone', () => {
  const onRefused = vi.fn();
  const stop = boundConnections(2, onRefused);
  const [one, two, three] = [connect(), connect(), connect()];
  expect([one, two, three].map(({ isDestroyed }) => isDestroyed)).toEqual([false, false, true]);
  expect(connect().isDestroyed).toBe(true);
  one.emit('close');
  expect([connect().isDestroyed, connect().isDestroyed]).toEqual([false, true]);
  expect(onRefused).toHaveBeenCalledTimes(3);
  stop();
  expect(connect().isDestroyed).toBe(false);
});
