import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { saveHandedOver } from './handed-over.js';

class FakePipe extends EventEmitter {
  connected = true;
  readonly sent: unknown[][] = [];

  send(...all: unknown[]): boolean {
    this.sent.push(all);
    return true;
  }
}

/** A pipe, and what the primary hears in the name of its worker. */
function made(hasOthers = true) {
  const pipe = new FakePipe();
  saveHandedOver(pipe, () => hasOthers);
  const heard: unknown[] = [];
  pipe.on('internalMessage', (message) => heard.push(message));
  return { pipe, heard };
}

const newConnection = (seq: number) => ({ cmd: 'NODE_CLUSTER', act: 'newconn', key: 'k', seq });

describe('a connection that was handed to a worker', () => {
  it('goes to another one when the worker dies before it takes it', () => {
    const { pipe, heard } = made();
    const handle = { close: vi.fn() };
    expect(pipe.send(newConnection(7), handle)).toBe(true);
    expect(pipe.sent).toEqual([[newConnection(7), handle]]);
    pipe.emit('disconnect');
    expect(heard).toEqual([{ cmd: 'NODE_CLUSTER', ack: 7, accepted: false }]);
    expect(handle.close).not.toHaveBeenCalled();
    pipe.emit('disconnect');
    expect(heard).toHaveLength(1);
  });

  it.each([false, true])('goes there too when nobody tells of the end of the pipe', async (connected) => {
    vi.useFakeTimers();
    const { pipe, heard } = made();
    pipe.send(newConnection(7), { close: vi.fn() });
    pipe.connected = connected;
    pipe.emit('exit');
    expect(heard).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect(heard).toEqual([{ cmd: 'NODE_CLUSTER', ack: 7, accepted: false }]);
  });

  it('is closed when there is no other', () => {
    const { pipe, heard } = made(false);
    const handle = { close: vi.fn() };
    pipe.send(newConnection(7), handle);
    pipe.emit('disconnect');
    expect(handle.close).toHaveBeenCalledOnce();
    expect(heard).toEqual([]);
  });

  it('is the worker’s once it has said so', () => {
    const { pipe, heard } = made();
    pipe.send(newConnection(7), { close: vi.fn() });
    const taken = { cmd: 'NODE_CLUSTER', ack: 7, accepted: true };
    pipe.emit('internalMessage', taken);
    pipe.emit('disconnect');
    expect(heard).toEqual([taken]);
  });
});

it('leaves other messages alone', () => {
  const { pipe, heard } = made();
  for (const message of [undefined, 7, {}, { cmd: 'NODE_CLUSTER', act: 'other', seq: 1 }, newConnection(2)])
    pipe.send(message, undefined, undefined);
  pipe.emit('internalMessage', null);
  pipe.emit('disconnect');
  expect(pipe.sent).toHaveLength(5);
  expect(heard).toEqual([null]);
});
