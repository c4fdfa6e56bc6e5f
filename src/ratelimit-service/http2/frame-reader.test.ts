import { describe, expect, it } from 'vitest';
import { FrameReader } from './frame-reader.js';
import { ERRORS, FLAGS, FRAMES, PREFACE } from './frames.js';
import { connected, frame, head, number } from './peer.contract.js';

const windows = (...sizes: readonly number[]) =>
  frame(FRAMES.settings, 0, 0, Buffer.concat(sizes.flatMap((size) => [Buffer.from([0, 4]), number(size)])));

describe('FrameReader', () => {
  it('tells of one window for a frame of settings, the last', () => {
    const told: number[] = [];
    const reader = new FrameReader({
      onHead: () => true,
      onBody: () => {},
      onReset: () => true,
      onWindow: () => {},
      onInitialWindow: (bytes) => told.push(bytes),
      onSettings: () => {},
      onPing: () => {},
    });
    reader.read(Buffer.concat([PREFACE, windows(...Array.from({ length: 2_000 }, (_, i) => i)), windows(7)]));
    expect(told).toEqual([1_999, 7]);
  });

  it('ends for a window beyond all bounds, also if another one follows', () => {
    const { peer } = connected();
    peer.say(windows(2 ** 31, 100));
    expect(peer.goaway()).toBe(ERRORS.flowControl);
  });

  it('takes header fields of a call that is there for a frame that says nothing', () => {
    const { peer } = connected();
    peer.say(head(1));
    for (let i = 0; i < 501; i++) peer.say(frame(FRAMES.ping, FLAGS.ack, 0, Buffer.alloc(8)), head(1));
    expect(peer.goaway()).toBe(ERRORS.enhanceYourCalm);
  });
});
