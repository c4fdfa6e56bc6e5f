import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { onConnectionClose } from './connection-close.js';

it('tells all who wait for the end of a connection, by one listener, and nobody who does not wait any more', () => {
  const socket = new EventEmitter() as Socket;
  const told: number[] = [];
  const stops = Array.from({ length: 20 }, (_, i) => onConnectionClose(socket, () => told.push(i)));
  expect(socket.listenerCount('close')).toBe(1);
  for (const stop of stops.slice(2)) stop();
  socket.emit('close');
  expect(told).toEqual([0, 1]);
});
