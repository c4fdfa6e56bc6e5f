import { describe, expect, it } from 'vitest';
import { LESSONS } from '../outcome.js';
import type { ConnectionState } from './backend.js';
import { noBackendError, Roster, type RosterOptions } from './roster.js';

function ready(keys: string[], options?: Partial<RosterOptions>, now = 0): Roster {
  const roster = new Roster(options);
  roster.update(keys);
  for (const key of keys) roster.mark(key, 'ready', now);
  return roster;
}

const usable = (roster: Roster, now = 0) => roster.snapshot(now).backends.map((backend) => backend.key);

function fail(roster: Roster, key: string, now: number, times = 5): void {
  for (let index = 0; index < times; index++) roster.learn(roster.get(key)!, LESSONS.broken, now);
}

describe('a roster', () => {
  it('has nobody to send to before it is told of any', () => {
    const { backends, open, isPanicking } = new Roster().snapshot(0);
    expect([backends, open.size, isPanicking]).toEqual([[], 0, false]);
  });

  it('uses a backend only while it is ready', () => {
    const roster = new Roster();
    roster.update(['a']);
    const states: [ConnectionState, string[]][] = [
      ['connecting', []],
      ['ready', ['a']],
      ['lame-duck', []],
      ['ready', ['a']],
      ['refusing', []],
    ];
    for (const [state, expected] of states) {
      expect(roster.mark('a', state, 0)).toBe(true);
      expect(roster.get('a')!.state).toBe(state);
      expect(usable(roster)).toEqual(expected);
    }
  });

  it('keeps those that stay, in the order they joined', () => {
    const roster = ready(['a', 'b', 'c']);
    const b = roster.get('b')!;
    b.active = 3;
    roster.update(['d', 'c', 'b']);
    roster.mark('d', 'ready', 5);
    expect(roster.get('b')).toBe(b);
    expect(usable(roster)).toEqual(['b', 'c', 'd']);
    expect(roster.get('a')).toBeUndefined();
    // One that comes back has joined last.
    roster.update(['a', 'b', 'c', 'd']);
    expect([...roster.members()].map(({ key }) => key)).toEqual(['b', 'c', 'd', 'a']);
    const ordinals = [...roster.members()].map(({ ordinal }) => ordinal);
    expect(ordinals).toEqual(ordinals.toSorted((one, other) => one - other));
    expect(new Set(ordinals).size).toBe(4);
  });

  it('gives a place to those that are usable, and only to them', () => {
    const roster = new Roster();
    roster.update(['a', 'b', 'c']);
    const [a, b, c] = [...roster.members()];
    const places = () => [a!.position, b!.position, c!.position];
    expect(places()).toEqual([-1, -1, -1]);
    for (const key of ['a', 'b', 'c']) roster.mark(key, 'ready', 0);
    roster.snapshot(0);
    expect(places()).toEqual([0, 1, 2]);
    roster.mark('a', 'lame-duck', 1);
    roster.snapshot(1);
    expect(places()).toEqual([-1, 0, 1]);
    roster.update(['a', 'c']);
    expect(b!.position).toBe(-1);
  });

  it('takes one that left and came back for one that is not connected', () => {
    const roster = ready(['a', 'b']);
    const a = roster.get('a')!;
    roster.acquire(a);
    roster.update(['b']);
    roster.update(['a', 'b']);
    expect(roster.get('a')).toBe(a);
    expect(a.state).toBe('connecting');
  });

  it('ignores news of a backend that is gone', () => {
    const roster = ready(['a']);
    roster.update([]);
    expect(roster.mark('a', 'ready', 1)).toBe(false);
    expect(usable(roster)).toEqual([]);
  });

  it('gives the same snapshot until something changes, and never changes one', () => {
    const roster = ready(['a', 'b']);
    const before = roster.snapshot(0);
    expect(roster.snapshot(1)).toBe(before);
    roster.mark('a', 'ready', 2); // no news
    expect(roster.snapshot(2)).toBe(before);
    roster.mark('a', 'lame-duck', 3);
    expect(usable(roster, 3)).toEqual(['b']);
    expect(before.backends.map((backend) => backend.key)).toEqual(['a', 'b']);
  });

  it('counts active requests, and closes a backend at its limit until one is done', () => {
    const roster = ready(['a', 'b'], { activeLimit: 2 });
    const [a] = roster.snapshot(0).backends;
    const { open } = roster.snapshot(0);
    roster.acquire(a!);
    expect(open.has(0)).toBe(true);
    roster.acquire(a!);
    expect(open.has(0)).toBe(false);
    // Over the limit by another way in, it opens only when it is below again.
    roster.acquire(a!);
    roster.release(a!);
    expect(open.has(0)).toBe(false);
    roster.release(a!);
    expect(open.has(0)).toBe(true);
    // A new snapshot knows who is full.
    roster.acquire(a!);
    roster.mark('b', 'lame-duck', 1);
    expect(roster.snapshot(1).open.size).toBe(0);
    // One that has left is counted down without touching anybody's place.
    roster.update(['b']);
    roster.mark('b', 'ready', 2);
    roster.snapshot(2);
    roster.release(a!);
    roster.acquire(a!);
    expect(a!.active).toBe(2);
    expect(roster.snapshot(2).open.size).toBe(1);
  });

  it('has a limit of 100 by default', () => {
    expect(new Roster().activeLimit).toBe(100);
  });

  it('ejects an outlier after five failures in a row, and takes it back', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    fail(roster, 'a', 1_000, 4);
    expect(usable(roster, 1_000)).toEqual(['a', 'b', 'c']);
    fail(roster, 'a', 1_000, 1);
    expect(roster.get('a')!.state).toBe('ejected');
    expect(usable(roster, 1_000)).toEqual(['b', 'c']);
    expect(usable(roster, 30_999)).toEqual(['b', 'c']);
    expect(usable(roster, 31_000)).toEqual(['a', 'b', 'c']);
  });

  it('does not take failures for a row with a success in between', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    fail(roster, 'a', 1, 4);
    roster.learn(roster.get('a')!, LESSONS.answered, 1);
    fail(roster, 'a', 1, 4);
    expect(roster.get('a')!.state).toBe('ready');
  });

  it('counts failures of requests that were under way together as one', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    const a = roster.get('a')!;
    const send = () => {
      roster.acquire(a);
      return a.sent;
    };
    const turns = Array.from({ length: 20 }, send);
    expect(turns).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    for (const turn of turns) roster.learn(a, LESSONS.broken, 1, turn);
    for (let index = 0; index < 3; index++) roster.learn(a, LESSONS.broken, 1, send());
    expect(a.state).toBe('ready');
    roster.learn(a, LESSONS.broken, 1, send());
    expect(a.state).toBe('ejected');
  });

  it('judges all of them when an interval is over, from its first snapshot on', () => {
    const roster = ready(['a', 'b', 'c'], { outliers: { consecutiveFailures: 1_000 } });
    usable(roster, 0);
    fail(roster, 'a', 1, 100);
    for (let index = 0; index < 100; index++) roster.learn(roster.get('b')!, LESSONS.answered, 1);
    expect(usable(roster, 9_999)).toEqual(['a', 'b', 'c']);
    expect(usable(roster, 10_000)).toEqual(['b', 'c']);
  });

  it('ejects no more than a tenth, but always one', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    fail(roster, 'a', 1);
    fail(roster, 'b', 1);
    expect(usable(roster, 1)).toEqual(['b', 'c']);
  });

  it('holds neither shedding nor an abort against a backend', () => {
    const roster = ready(['a', 'b']);
    const outcomes = ['task-overloaded', 'overloaded-no-retry', 'limited', 'aborted'] as const;
    for (const outcome of outcomes) {
      for (let index = 0; index < 20; index++) roster.learn(roster.get('a')!, LESSONS[outcome], 1);
    }
    expect(usable(roster, 1)).toEqual(['a', 'b']);
  });

  it('ejects nobody when told not to, nor one that has left', () => {
    const roster = ready(['a', 'b'], { outliers: false });
    fail(roster, 'a', 1, 50);
    expect(usable(roster, 1)).toEqual(['a', 'b']);
    const other = ready(['a', 'b']);
    const gone = other.get('a')!;
    other.update(['b']);
    for (let index = 0; index < 10; index++) other.learn(gone, LESSONS.broken, 1);
    expect(gone.outlier.isEjected).toBe(false);
  });

  it('takes a backend that refused connections for a new process once it accepts them', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    fail(roster, 'a', 1_000);
    roster.mark('a', 'refusing', 1_000);
    expect(roster.get('a')!.state).toBe('refusing');
    roster.mark('a', 'ready', 3_000);
    expect(usable(roster, 3_000)).toEqual(['a', 'b', 'c']);
    expect(roster.get('a')!.readySinceMs).toBe(3_000);
  });

  it('ends the ejection of a restarted backend as any other', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    roster.mark('a', 'refusing', 10);
    roster.mark('a', 'ready', 20);
    fail(roster, 'a', 1_000);
    expect(usable(roster, 1_000)).toEqual(['b', 'c']);
    expect(usable(roster, 31_000)).toEqual(['a', 'b', 'c']);
  });

  it('takes one that refused connections when it left for a new process when it is back', () => {
    const roster = new Roster();
    roster.update(['a', 'b', 'c']);
    for (const key of ['a', 'b', 'c']) roster.mark(key, 'ready', 0);
    const a = roster.get('a')!;
    for (let failures = 0; failures < 5; failures++) roster.learn(a, LESSONS['connect-failed'], 1);
    expect(a.state).toBe('ejected');
    roster.mark('a', 'refusing', 2);
    roster.update(['b', 'c']);
    roster.update(['a', 'b', 'c']);
    roster.mark('a', 'connecting', 3);
    roster.mark('a', 'ready', 4);
    expect(roster.get('a')!.state).toBe('ready');
  });

  it('remembers one that leaves and comes back, as long as there is something to remember', () => {
    const roster = ready(['a', 'b', 'c'], { activeLimit: 2 });
    usable(roster, 0);
    const [busy, ejected] = [roster.get('a')!, roster.get('b')!];
    roster.acquire(busy);
    roster.acquire(busy);
    fail(roster, 'b', 1_000);
    roster.update(['c']);
    roster.update(['a', 'b', 'c']);
    for (const key of ['a', 'b']) roster.mark(key, 'ready', 2_000);
    // a is still full, b still ejected; neither can be had by leaving the list for a moment.
    expect(roster.get('a')).toBe(busy);
    expect(usable(roster, 2_000)).toEqual(['c', 'a']);
    expect(roster.snapshot(2_000).open.size).toBe(1);
    expect(ejected.state).toBe('ejected');
    expect(usable(roster, 31_000)).toEqual(['c', 'a', 'b']);
    // An ejection ends while its backend is away, too; then there is nothing left to remember.
    fail(roster, 'b', 31_000);
    roster.update(['a', 'c']);
    usable(roster, 120_000);
    roster.update(['a', 'c']);
    roster.update(['a', 'b', 'c']);
    expect(roster.get('b')).not.toBe(ejected);
  });

  it('holds nothing against the successor of one that was gone, also if another had its place meanwhile', () => {
    const roster = ready(['a', 'b', 'c']);
    usable(roster, 0);
    fail(roster, 'a', 1);
    expect(roster.get('a')!.state).toBe('ejected');
    roster.update(['b', 'c']);
    expect(roster.mark('a', 'refusing', 2)).toBe(false);
    expect(roster.mark('unknown', 'refusing', 2)).toBe(false);
    roster.update(['a', 'b', 'c']);
    roster.mark('a', 'ready', 3);
    expect(usable(roster, 3)).toEqual(['b', 'c', 'a']);
    // One that was away for another reason is still the same.
    fail(roster, 'b', 4);
    roster.update(['a', 'c']);
    roster.mark('b', 'lame-duck', 5);
    roster.update(['a', 'b', 'c']);
    roster.mark('b', 'ready', 6);
    expect(roster.get('b')!.state).toBe('ejected');
  });

  it('disregards ejections, but never facts, when too few are healthy', () => {
    const roster = ready(['a', 'b', 'c', 'd', 'e'], { outliers: { maxEjectedShare: 1 } });
    usable(roster, 0);
    fail(roster, 'a', 1);
    fail(roster, 'b', 1);
    expect(usable(roster, 1)).toEqual(['c', 'd', 'e']); // 3 of 5 healthy
    expect(roster.snapshot(1).isPanicking).toBe(false);
    roster.mark('c', 'lame-duck', 2); // 2 of 5
    expect(roster.snapshot(2).isPanicking).toBe(true);
    expect(usable(roster, 2)).toEqual(['a', 'b', 'd', 'e']);
    roster.mark('d', 'refusing', 3);
    expect(usable(roster, 3)).toEqual(['a', 'b', 'e']);
    // Exactly the threshold is not below it.
    const half = ready(['a', 'b'], { outliers: { maxEjectedShare: 1 } });
    usable(half, 0);
    fail(half, 'a', 1);
    expect(usable(half, 1)).toEqual(['b']);
    const never = ready(['a', 'b'], { panicShare: 0, outliers: { maxEjectedShare: 1 } });
    usable(never, 0);
    fail(never, 'a', 1);
    fail(never, 'b', 1);
    expect(usable(never, 1)).toEqual([]);
  });

  it('says why nothing can be picked', () => {
    const roster = new Roster();
    const empty = noBackendError(roster);
    expect(empty.code).toBe('PLIMSOLL_NO_BACKEND');
    expect(empty.message).toBe('the service has no backends');
    roster.update(['a', 'b', 'c']);
    roster.mark('b', 'refusing', 0);
    roster.mark('c', 'refusing', 0);
    expect(noBackendError(roster).message).toBe('none of 3 backends is usable: 1 connecting, 2 refusing');
    expect(noBackendError(roster)).toMatchObject({
      name: 'RejectedError',
      retry: 'later',
      retryAfterMs: undefined,
    });
    expect(roster.countStates()).toEqual({
      connecting: 1,
      ready: 0,
      'lame-duck': 0,
      unhealthy: 0,
      refusing: 2,
      ejected: 0,
    });
  });

  it('refuses what cannot be, with field and value', () => {
    expect(() => new Roster({ activeLimit: 0 })).toThrow('activeLimit must be an integer >= 1, got 0');
    expect(() => new Roster({ panicShare: 1.5 })).toThrow('panicShare must be from 0 to 1, got 1.5');
    expect(() => new Roster({ outliers: { intervalMs: 0 } })).toThrow(
      'intervalMs must be a finite number > 0, got 0',
    );
    expect(() => new Roster({ limit: 5 } as unknown as RosterOptions)).toThrow(
      'roster has no option "limit"',
    );
    expect(() => new Roster().update(['a', 'b', 'a'])).toThrow('backends must be distinct, got "a" twice');
    expect(() => ready(['a']).mark('a', 'dead' as 'refusing', 0)).toThrow(
      'connection must be one of connecting',
    );
  });
});
