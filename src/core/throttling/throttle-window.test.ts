import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThrottleWindow } from './throttle-window.js';

const countsOf = ({ requests, accepts, rejects, localRefusals }: ThrottleWindow) => ({
  requests,
  accepts,
  rejects,
  localRefusals,
});

const EMPTY = { requests: 0, accepts: 0, rejects: 0, localRefusals: 0 };

describe('ThrottleWindow', () => {
  it('counts three kinds, and all of them as requests', () => {
    const window = new ThrottleWindow({ windowMs: 100, slots: 4 });
    window.advance(0);
    for (let i = 0; i < 3; i++) window.countAccept();
    for (let i = 0; i < 2; i++) window.countReject();
    window.countLocalRefusal();
    expect(countsOf(window)).toEqual({ requests: 6, accepts: 3, rejects: 2, localRefusals: 1 });
  });

  it('forgets slot by slot, what is older than the window and nothing younger', () => {
    const window = new ThrottleWindow({ windowMs: 100, slots: 4 });
    window.advance(10);
    window.countAccept();
    window.advance(30);
    window.countReject();
    window.advance(60);
    window.countLocalRefusal();
    const requestsAt = (now: number) => {
      window.advance(now);
      return window.requests;
    };
    expect([110, 124, 125, 149, 150, 174, 175].map(requestsAt)).toEqual([3, 3, 2, 2, 1, 1, 0]);
    expect(countsOf(window)).toEqual(EMPTY);
  });

  it('is empty after an idle hour', () => {
    const window = new ThrottleWindow({ windowMs: 120_000, slots: 24 });
    for (let now = 0; now < 200_000; now += 1_000) {
      window.advance(now);
      window.countAccept();
      window.countReject();
      window.countLocalRefusal();
    }
    window.advance(3_800_000);
    expect(countsOf(window)).toEqual(EMPTY);
  });

  it('counts what a list of all events would', () => {
    const KINDS = ['accepts', 'rejects', 'localRefusals'] as const;
    const event = fc.record({ kind: fc.constantFrom(...KINDS), afterMs: fc.nat({ max: 60 }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 100 }), fc.integer({ min: 1, max: 9 }), (events, slots) => {
        const windowMs = 20 * slots;
        const window = new ThrottleWindow({ windowMs, slots });
        const slotOf = (ms: number) => Math.floor(ms / 20);
        const list: { kind: string; at: number }[] = [];
        let now = 0;
        for (const { kind, afterMs } of events) {
          now += afterMs;
          window.advance(now);
          if (kind === 'accepts') window.countAccept();
          else if (kind === 'rejects') window.countReject();
          else window.countLocalRefusal();
          list.push({ kind, at: now });
          const remembered = list.filter(({ at }) => slotOf(now) - slotOf(at) <= slots);
          const counted = KINDS.map((name) => remembered.filter((one) => one.kind === name).length);
          expect([window.accepts, window.rejects, window.localRefusals]).toEqual(counted);
        }
      }),
    );
  });
});
