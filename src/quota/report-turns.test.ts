import { describe, expect, it } from 'vitest';
import { type QuotaLevels, QuotaMember, SPARE_STRIDE, type UsageReport } from '../core/index.js';
import { LevelsEncoder, ReportDecoder } from '../wire/index.js';
import { ReportTurns } from './report-turns.js';

const LIMITS = { customers: [{ customer: 'gmail', perSecond: 10 }], everyoneElse: { perSecond: 5 } };

const ANSWER = { areNamesMissing: false, levels: undefined };

const ENCODER = new LevelsEncoder();

function levelsOf(token: number, sequence: number): Uint8Array {
  return ENCODER.encode(levelsAt(token, sequence)).whole;
}

/** As they are pushed when the names were said before. */
function briefOf(token: number, sequence: number): Uint8Array {
  ENCODER.encode(levelsAt(token, sequence));
  ENCODER.said();
  return ENCODER.encode(levelsAt(token, sequence)).pushed;
}

function levelsAt(token: number, sequence: number): QuotaLevels {
  return {
    token,
    sequence,
    backends: 3,
    names: ['gmail'],
    rank: Uint8Array.of(2),
    level: Float64Array.of(4),
    isHeld: Uint8Array.of(1),
    spare: new Float64Array(SPARE_STRIDE),
  };
}

function turns() {
  const member = new QuotaMember(LIMITS);
  return { member, turns: new ReportTurns(member, 'a') };
}

function use(member: QuotaMember, customer: string, now: number): void {
  member.enforcement.admit(customer, 'CRITICAL', 0.5, now);
  member.enforcement.charge(customer, 'CRITICAL', 1, now);
}

describe('ReportTurns', () => {
  it('sends names with the first report, and then only when they are others or missing', () => {
    const { member, turns: each } = turns();
    use(member, 'gmail', 0);
    const first = each.next(250)!;
    expect(first).toMatchObject({ backend: 'a', known: undefined });
    const decoder = new ReportDecoder();
    expect(decoder.decode(first.values, undefined)).toBe('names-needed');
    expect(decoder.decode(first.values, first.names)).toMatchObject({ namesVersion: first.namesVersion });
    each.answered(ANSWER, 260);
    expect(each.next(500)!.names).toBeUndefined();
    each.answered({ ...ANSWER, areNamesMissing: true }, 510);
    expect(each.next(750)!.names).toBeDefined();
    each.answered(ANSWER, 760);
    use(member, 'calendar', 800);
    const changed = each.next(1_000)!;
    expect(changed.names).toBeDefined();
    expect(changed.namesVersion).not.toBe(first.namesVersion);
    each.answered(ANSWER, 1_010);
    expect(each.next(1_250)!.names).toBeUndefined();
    expect(each.counts).toMatchObject({ reports: 4, failed: 0 });
  });

  it('counts them, so that nobody can choose a name by which one is taken for another', () => {
    const { member, turns: each } = turns();
    const decoder = new ReportDecoder();
    const heard: unknown[] = [];
    const say = (now: number) => {
      const { values, names } = each.next(now)!;
      heard.push((decoder.decode(values, names) as UsageReport).names);
      each.answered(ANSWER, now);
    };
    // Their hashes are the same (FNV-1a of 32 bits).
    const [one, other] = ['krnpz', 'k10b0a'];
    use(member, one, 0);
    say(250);
    // It is idle by then, and has no row any more.
    say(600_000);
    use(member, other, 602_000);
    say(602_250);
    expect([heard[0], heard.at(-1)]).toEqual([
      [undefined, one],
      [undefined, other],
    ]);
  });

  it('sends them again after a report of which nobody knows what became', () => {
    const { turns: each } = turns();
    each.next(0);
    each.answered(ANSWER, 5);
    each.next(250);
    each.failed();
    expect(each.next(500)!.names).toBeDefined();
    expect(each.counts).toMatchObject({ reports: 1, failed: 1 });
  });

  it('has one under way at a time; time passes all the same', () => {
    const { member, turns: each } = turns();
    each.next(0);
    each.answered({ ...ANSWER, levels: { bytes: levelsOf(1, 1), ageMs: 0 } }, 0);
    expect(each.next(250)).toBeDefined();
    expect(each.next(500)).toBeUndefined();
    expect(member.stage).toBe('fresh');
    expect(each.next(10_000)).toBeUndefined();
    expect(member.stage).toBe('holding');
    each.failed();
    expect(each.next(10_250)).toBeDefined();
  });

  it('says which levels it knows, however they came', () => {
    const { member, turns: each } = turns();
    each.next(0);
    each.answered({ ...ANSWER, levels: { bytes: levelsOf(3, 7), ageMs: 0 } }, 5);
    expect(member.stage).toBe('fresh');
    expect(each.next(250)!.known).toEqual({ token: 3, sequence: 7 });
    each.answered(ANSWER, 260);
    each.pushed(levelsOf(4, 1), 300);
    expect(each.next(500)!.known).toEqual({ token: 4, sequence: 1 });
    expect(each.counts).toMatchObject({ repaired: 1, pushed: 1 });
  });

  it('does not count, or know, what it knew or had better knowledge of', () => {
    const { turns: each } = turns();
    each.pushed(levelsOf(4, 2), 0);
    each.pushed(levelsOf(4, 2), 10);
    each.next(250);
    each.answered({ ...ANSWER, levels: { bytes: levelsOf(3, 9), ageMs: 0 } }, 260);
    expect(each.next(500)!.known).toEqual({ token: 4, sequence: 2 });
    expect(each.counts).toMatchObject({ pushed: 1, repaired: 0 });
  });

  it('ignores what it cannot read', () => {
    const { member, turns: each } = turns();
    each.pushed(Uint8Array.of(1, 2, 3), 0);
    each.next(0);
    each.answered({ ...ANSWER, levels: { bytes: new Uint8Array(100), ageMs: 0 } }, 5);
    expect(each.counts).toMatchObject({ unreadable: 2, pushed: 0, repaired: 0 });
    expect(member.stage).toBe('alone');
  });

  it('asks for names that it has not heard, once', () => {
    const { member, turns: each } = turns();
    each.pushed(briefOf(1, 7), 0);
    expect(member.stage).toBe('alone');
    // It knows of no levels: the answer brings them as a whole.
    expect(each.next(250)!.known).toBeUndefined();
    each.answered({ ...ANSWER, levels: { bytes: levelsOf(1, 7), ageMs: 0 } }, 260);
    expect(member.stage).toBe('fresh');
    each.pushed(briefOf(1, 8), 300);
    expect(each.next(500)!.known).toEqual({ token: 1, sequence: 8 });
    expect(each.counts).toMatchObject({ nameless: 1, repaired: 1, pushed: 1, unreadable: 0 });
  });

  it('goes by what it has until names come that it has missed', () => {
    const { member, turns: each } = turns();
    const [before, after] = [levelsAt(1, 1), { ...levelsAt(1, 3), names: ['calendar'] }];
    const encoder = new LevelsEncoder();
    each.pushed(encoder.encode(before).whole, 0);
    encoder.encode(after);
    encoder.said();
    each.pushed(encoder.encode(after).pushed, 100);
    expect(each.next(250)!.known).toEqual({ token: 1, sequence: 1 });
    const isHeld = (customer: string) =>
      member.snapshot(300).customers.some((one) => one.customer === customer && one.level === 4);
    use(member, 'gmail', 300);
    use(member, 'calendar', 300);
    expect([isHeld('gmail'), isHeld('calendar')]).toEqual([true, false]);
    each.answered({ ...ANSWER, levels: { bytes: encoder.encode(after).whole, ageMs: 0 } }, 300);
    expect([isHeld('gmail'), isHeld('calendar')]).toEqual([false, true]);
  });

  it('is deaf when four in a row had to come with answers', () => {
    const { turns: each } = turns();
    let sequence = 0;
    const repair = () => {
      each.next(250 * sequence);
      each.answered({ ...ANSWER, levels: { bytes: levelsOf(1, ++sequence), ageMs: 0 } }, 250 * sequence);
    };
    for (let i = 0; i < 3; i++) repair();
    expect(each.isDeaf()).toBe(false);
    repair();
    expect(each.isDeaf()).toBe(true);
    expect(each.isDeaf()).toBe(false);
    for (let i = 0; i < 3; i++) repair();
    each.pushed(levelsOf(1, ++sequence), 250 * sequence);
    repair();
    expect(each.isDeaf()).toBe(false);
  });

  it('believes levels from an answer no longer than if they had been pushed', () => {
    const { member, turns: each } = turns();
    each.next(10_000);
    each.answered({ ...ANSWER, levels: { bytes: levelsOf(1, 1), ageMs: 2_999 } }, 10_000);
    expect(member.stage).toBe('fresh');
    expect(each.counts).toMatchObject({ repaired: 1, stale: 0 });
    each.next(10_001);
    expect(member.stage).toBe('holding');
  });

  it.each([3_000, 40_000, Number.POSITIVE_INFINITY])(
    'learns from levels of %s ms ago how many backends there were, and nothing else',
    (ageMs) => {
      const { member, turns: each } = turns();
      use(member, 'gmail', 100_000);
      each.next(100_000);
      each.answered({ ...ANSWER, levels: { bytes: levelsOf(1, 1), ageMs } }, 100_000);
      expect(member.snapshot(100_000)).toMatchObject({
        stage: 'safe',
        backends: 3,
        customers: [
          { limitPerSecond: 10, hereLimitPerSecond: expect.closeTo(10 / 3), level: Number.POSITIVE_INFINITY },
        ],
      });
      expect(each.next(100_250)!.known).toEqual({ token: 1, sequence: 1 });
      expect(each.counts).toMatchObject({ repaired: 0, stale: 1 });
      each.pushed(levelsOf(2, 1), 100_300);
      expect(member.stage).toBe('fresh');
    },
  );

  it('has better knowledge than old levels once it has heard any', () => {
    const { member, turns: each } = turns();
    each.pushed(levelsOf(1, 1), 0);
    each.next(4_000);
    each.answered({ ...ANSWER, levels: { bytes: levelsOf(9, 1), ageMs: 5_000 } }, 4_000);
    expect(member.snapshot(4_000)).toMatchObject({ stage: 'holding', token: 1 });
  });
});
