import { expect, it } from 'vitest';
import { Stall } from './stall.js';

it('lasts from when nothing was taken any more', () => {
  const stall = new Stall();
  const handle = { writeQueueSize: 0 };
  const socket = { writableLength: 5_000, _handle: handle };
  expect(stall.lastsMs(socket, 1_000)).toBe(0);
  handle.writeQueueSize = 5_000;
  expect(stall.lastsMs(socket, 2_000)).toBe(0);
  expect(stall.lastsMs(socket, 3_000)).toBe(1_000);
  // A part of a piece.
  handle.writeQueueSize = 4_999;
  expect(stall.lastsMs(socket, 4_000)).toBe(0);
  expect(stall.lastsMs(socket, 9_000)).toBe(5_000);
  handle.writeQueueSize = 0;
  expect(stall.lastsMs(socket, 10_000)).toBe(0);
  expect(stall.lastsMs(socket, 11_000)).toBe(0);
});

it('goes by what was written where nothing else is known', () => {
  const stall = new Stall();
  expect(stall.lastsMs({ writableLength: 1 }, 1_000)).toBe(0);
  expect(stall.lastsMs({ writableLength: 1, _handle: null }, 2_000)).toBe(1_000);
});
