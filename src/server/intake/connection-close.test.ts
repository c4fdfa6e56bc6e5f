import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { isClientGone, onConnectionClose, onResponseClose } from './connection-close.js';

class FakeSocket extends EventEmitter {
  destroyed = false;

  /** As sockets do: they say so later than it is so. */
  break(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function setUp() {
  const fake = new FakeSocket();
  const socket = fake as unknown as Socket;
  const req = { socket } as IncomingMessage;
  const res = Object.assign(new EventEmitter(), { req, socket: null, destroyed: false });
  return { fake, socket, req, res, response: res as unknown as ServerResponse };
}

describe('the end of a connection', () => {
  it('is told to all who wait for it, by one listener, and to nobody who does not wait any more', () => {
    const { fake, socket } = setUp();
    const told: number[] = [];
    const stops = Array.from({ length: 20 }, (_, i) => onConnectionClose(socket, () => told.push(i)));
    expect(fake.listenerCount('close')).toBe(1);
    for (const stop of stops.slice(2)) stop();
    fake.break();
    expect(told).toEqual([0, 1]);
  });

  it('is told at once when it is over: nobody would say so again', () => {
    const { fake, socket } = setUp();
    fake.break();
    const told = vi.fn();
    onConnectionClose(socket, told)();
    expect(told).toHaveBeenCalledTimes(1);
    expect(fake.listenerCount('close')).toBe(0);
  });

  it('leaves nobody to be answered, not even on a response that hears nothing of it', () => {
    const { fake, req, res, response } = setUp();
    expect(isClientGone(req, response)).toBe(false);
    fake.destroyed = true;
    expect([isClientGone(req, response), res.destroyed]).toEqual([true, false]);
    const other = setUp();
    other.res.destroyed = true;
    expect(isClientGone(other.req, other.response)).toBe(true);
  });
});

describe('the end of a response', () => {
  it('is its own where it hears of it', () => {
    const socket = new Socket();
    const res = new ServerResponse(new IncomingMessage(socket));
    res.assignSocket(socket);
    const listeners = socket.listenerCount('close');
    const told = vi.fn();
    onResponseClose(res, told);
    expect(socket.listenerCount('close')).toBe(listeners);
    res.emit('close');
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('is that of its connection behind others, told once', () => {
    const { fake, res, response } = setUp();
    const told = vi.fn();
    onResponseClose(response, told);
    fake.break();
    res.emit('close');
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('is its own again when it comes first, and its connection keeps nothing of it', () => {
    const { fake, res, response } = setUp();
    const told = vi.fn();
    onResponseClose(response, told);
    res.emit('close');
    fake.break();
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('has been when the connection is over', () => {
    const { fake, res, response } = setUp();
    fake.break();
    const told = vi.fn();
    onResponseClose(response, told);
    res.emit('close');
    expect(told).toHaveBeenCalledTimes(1);
  });
});
