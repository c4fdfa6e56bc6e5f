import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MastershipTerms, readMastershipAnswer, redisMastership } from './redis-mastership.js';

const TTL = 1_200;

function termsAt(now: number, token = 7): MastershipTerms {
  const terms = new MastershipTerms(TTL, () => 0);
  terms.ask(now);
  terms.answered(now + 50, { isMaster: true, token, address: 'http://a' });
  return terms;
}

describe('terms of a master', () => {
  it('are counted from when they were asked for, by a clock that may be slow', () => {
    const terms = termsAt(1_000);
    expect(terms.token(1_050)).toBe(7);
    expect(terms.token(1_000 + TTL / 1.001 - 0.01)).toBe(7);
    expect(terms.token(1_000 + TTL / 1.001)).toBeUndefined();
  });

  it('are renewed three times before they end, and taken anew after that', () => {
    const terms = termsAt(1_000);
    expect(terms.askAtMs).toBe(1_350);
    expect(terms.ask(1_350)).toBe('renew');
    expect(terms.askAtMs).toBe(Number.POSITIVE_INFINITY);
    terms.failed(1_400);
    expect(terms.askAtMs).toBe(1_700);
    expect(terms.token(1_700)).toBe(7);
    expect(terms.ask(2_300)).toBe('acquire');
  });

  it('end at once when somebody else is master', () => {
    const terms = termsAt(1_000);
    terms.ask(1_350);
    terms.answered(1_360, { isMaster: false, token: 9, address: 'http://b' });
    expect(terms.token(1_360)).toBeUndefined();
    expect([terms.heard, terms.address, terms.endsMs]).toEqual([9, 'http://b', Number.POSITIVE_INFINITY]);
  });

  it('never end later than what Redis was asked for, whenever answers come', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 0, max: 3_000 })));
    fc.assert(
      fc.property(steps, (asks) => {
        const terms = new MastershipTerms(TTL, Math.random);
        let [now, endsInRedisMs] = [0, Number.NEGATIVE_INFINITY];
        for (const [pauseMs, answerMs] of asks) {
          now += pauseMs;
          terms.ask(now);
          // The earliest that Redis can have heard.
          endsInRedisMs = now + TTL;
          now += answerMs;
          terms.answered(now, { isMaster: true, token: 1, address: '' });
          expect(terms.endsMs).toBeLessThan(endsInRedisMs);
          expect(terms.token(endsInRedisMs)).toBeUndefined();
        }
      }),
    );
  });

  it('end without a word of who is next, unless somebody has said', () => {
    const alone = termsAt(1_000);
    alone.end();
    expect([alone.token(1_100), alone.address]).toEqual([undefined, '']);
    const other = termsAt(1_000);
    other.ask(1_350);
    other.answered(1_360, { isMaster: false, token: 9, address: 'http://b' });
    other.end();
    expect(other.address).toBe('http://b');
  });

  it('take over within 1.5 s', () => {
    const terms = new MastershipTerms(TTL, () => 0);
    terms.ask(0);
    terms.answered(1, { isMaster: false, token: 1, address: '' });
    expect(TTL + terms.askAtMs).toBeLessThan(1_510);
  });
});

describe('answers about mastership', () => {
  it('are read, and nothing else is', () => {
    expect(readMastershipAnswer([1, 3, 'x'])).toEqual({ isMaster: true, token: 3, address: 'x' });
    expect(readMastershipAnswer([0, 3, ''])).toEqual({ isMaster: false, token: 3, address: '' });
    for (const reply of [undefined, 'OK', [1], [1, 'a', ''], [1, 2, 3]]) {
      expect(readMastershipAnswer(reply)).toBeUndefined();
    }
  });

  it('need a name and a time', () => {
    expect(() => redisMastership({ url: 'redis://a' } as never)).toThrow(
      'name must be what one is master of',
    );
    expect(() => redisMastership({ url: 'redis://a', name: 'a', ttlMs: 5 })).toThrow('ttlMs must be');
  });
});
