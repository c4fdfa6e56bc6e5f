import { describe, expect, it } from 'vitest';
import type { Random } from '../../environment.js';
import { Roster } from '../../health/roster.js';
import type { LoadReport } from '../../load-report.js';
import type { Outcome } from '../../outcome.js';
import { SeededRandom } from '../../seeded-random.js';
import { createPicker, type PolicyOptions } from '../create-picker.js';
import { describePicker, picked } from '../picker.contract.js';
import type { Picker } from '../picker.js';

// Without answers it picks at random: 10,000 picks of 0.1 have σ = 0.003, and the seed is fixed; five σ.
describePicker('prequal', (roster, random) => createPicker(roster, random, 'prequal'), 0.015);

// Probes answered at once, all alike. Who is picked depends on who was probed, which is random too; that a pool holds
// one answer a backend makes it more even, not less. The same five σ, and a third for what is removed as worst.
describePicker(
  'prequal with probes',
  (roster, random) => probed(createPicker(roster, random, 'prequal')),
  0.02,
);

/** The same picker with its probes answered before each pick. */
function probed(
  picker: Picker,
  answer: (key: string) => LoadReport | undefined = () => ({ inFlight: 1, latencyMs: 5 }),
) {
  const pick = picker.pick.bind(picker);
  picker.pick = (now) => {
    for (let backend = picker.probing!.nextProbe(now); backend; backend = picker.probing!.nextProbe(now)) {
      const report = answer(backend.key);
      if (report) picker.probing!.onAnswer(backend, report, now);
      else picker.probing!.onFailure(backend, now);
    }
    return pick(now);
  };
  return picker;
}

function seeded(seed = 1): Random {
  const random = new SeededRandom(seed);
  return () => random.next();
}

function service(size: number, policy: PolicyOptions = 'prequal', random = seeded(), activeLimit = 100) {
  const keys = Array.from({ length: size }, (_, index) => `b${index}`);
  const roster = new Roster({ activeLimit, outliers: false });
  roster.update(keys);
  for (const key of keys) roster.mark(key, 'ready', 0);
  const picker = createPicker(roster, random, policy);
  picker.pick(0); // adopts the snapshot
  const probing = picker.probing!;
  const answer = (key: string, inFlight: number, latencyMs: number | undefined, now: number) =>
    probing.onAnswer(roster.get(key)!, latencyMs === undefined ? { inFlight } : { inFlight, latencyMs }, now);
  const pickKey = (now: number) => picked(picker, now).backend.key;
  return { keys, roster, picker, probing, answer, pickKey };
}

function shares(
  picker: Picker,
  from: number,
  count: number,
  outcome: (key: string) => Outcome = () => 'answered',
) {
  const counts: Record<string, number> = {};
  for (let index = 0; index < count; index++) {
    const now = from + index;
    const pick = picked(picker, now);
    const { key } = pick.backend;
    counts[key] = (counts[key] ?? 0) + 1 / count;
    pick.done(outcome(key), now);
  }
  return counts;
}

describe('prequal', () => {
  it('picks the fastest backend that is not hot', () => {
    const { answer, pickKey } = service(100);
    // Threshold: the .6 quantile of 2, 3, 4, 9 is 4: of the three that are cold the fastest wins.
    answer('b1', 2, 40, 1);
    answer('b2', 3, 30, 1);
    answer('b3', 4, 20, 1);
    answer('b4', 9, 10, 1);
    expect(pickKey(1)).toBe('b3');
  });

  it('avoids a hot one however fast it says it is', () => {
    const { answer, pickKey } = service(100);
    for (let index = 10; index < 30; index++) answer(`b${index}`, 1, 50, 1);
    answer('b4', 30, 1, 2);
    answer('b5', 1, 20, 2);
    expect(pickKey(2)).toBe('b5');
  });

  it('counts its own pick as in flight, so that a burst does not follow one answer', () => {
    // 26 backends and no removals: 2 / ((1 − 16/26)·3) is above two, so each answer serves two picks.
    const { answer, pickKey } = service(26, { name: 'prequal', removalsPerPick: 0 });
    for (let index = 0; index < 8; index++) answer(`b${index}`, 2, 50, 1);
    answer('b9', 2, 10, 1);
    expect(pickKey(1)).toBe('b9');
    // With 3 in flight against a quantile of 2 it is hot now.
    expect(pickKey(1)).not.toBe('b9');
  });

  it('is not drawn to an idle backend that refused, until it trusts it again', () => {
    const { answer, picker, pickKey } = service(100);
    const refusesWhatItGets = (now: number) => {
      answer('b1', 0, undefined, now);
      for (const key of ['b2', 'b3', 'b4']) answer(key, 0, 20, now);
    };
    refusesWhatItGets(1);
    const pick = picked(picker, 1);
    expect(pick.backend.key).toBe('b1');
    pick.done('task-overloaded', 2);
    refusesWhatItGets(3);
    expect(pickKey(3)).not.toBe('b1');
    refusesWhatItGets(1_001);
    expect(pickKey(1_001)).not.toBe('b1');
    refusesWhatItGets(1_002);
    expect(pickKey(1_002)).toBe('b1');
  });

  it('picks at random with fewer than two answers', () => {
    const { answer, pickKey } = service(4, 'prequal', seeded(3));
    const seen = new Set<string>();
    for (let now = 1_000; now < 60_000; now += 1_000) {
      answer('b1', 0, 1, now);
      seen.add(pickKey(now));
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it('forgets answers after a second, and their numbers in flight after five', () => {
    const { answer, pickKey, probing, roster } = service(50, 'prequal', () => 0);
    answer('b7', 1, 1, 0);
    answer('b8', 1, 2, 0);
    expect(pickKey(999)).toBe('b7');
    answer('b7', 1, 1, 1_000);
    answer('b8', 1, 2, 1_000);
    // random = 0 picks the first when there is nothing to go by.
    expect(pickKey(2_000)).toBe('b0');
    // An hour later one answer of 100 in flight is not hot: nothing is left to compare it with.
    probing.onAnswer(roster.get('b7')!, { inFlight: 100, latencyMs: 1 }, 3_600_000);
    probing.onAnswer(roster.get('b8')!, { inFlight: 100, latencyMs: 2 }, 3_600_000);
    expect(pickKey(3_600_000)).toBe('b7');
  });

  it('tells who is hot by what it saw within five seconds', () => {
    for (const [now, expected] of [
      [5_000, 'b8'],
      [5_001, 'b7'],
    ] as const) {
      const { answer, pickKey } = service(50);
      for (let index = 10; index < 20; index++) answer(`b${index}`, 1, 50, 0);
      answer('b7', 5, 1, now);
      answer('b8', 1, 50, now);
      expect(pickKey(now)).toBe(expected);
    }
  });

  it('uses an answer once when there are fewer than 48 backends', () => {
    for (const [size, expected] of [
      [47, [1, 1, 1, 1]],
      [48, [1, 2, 1, 2]],
    ] as const) {
      const { answer, pickKey } = service(size);
      const uses = expected.map((_, round) => {
        // Of the 48 an answer serves one and a half picks, so every second one serves two: of nine a round, by turns b9's.
        for (let index = 0; index < 8; index++) answer(`b${index + 20}`, 50, 50, round + 1);
        answer('b9', 1, 1, round + 1);
        return [1, 2, 3].filter(() => pickKey(round + 1) === 'b9').length;
      });
      expect(uses).toEqual(expected);
    }
  });

  it('uses an answer as often as the budget says', () => {
    // n = 100: 2 / ((1 − 16/100)·3 − 1) ≈ 1.32 uses: one or two, and 1.32 in the mean.
    const counts: number[] = [];
    const { answer: tell, pickKey: pickNext } = service(100, 'prequal');
    for (let round = 1; round <= 60; round++) {
      for (let index = 0; index < 12; index++) tell(`b${index + 20}`, 50, 50, round);
      tell('b9', 1, 1, round);
      const picks = [pickNext(round), pickNext(round), pickNext(round)];
      counts.push(picks.filter((key) => key === 'b9').length);
    }
    expect(new Set(counts)).toEqual(new Set([1, 2]));
    expect(counts.reduce((sum, count) => sum + count, 0) / 60).toBeCloseTo(1.32, 1);
    // Never more than one and a half on average, whatever the slack, and never fewer than one.
    for (const [options, uses] of [
      [{ removalsPerPick: 0, reuseSlack: 9 }, 1],
      [{ removalsPerPick: 0, reuseSlack: 0 }, 1],
    ] as const) {
      const { answer, pickKey } = service(100, { name: 'prequal', ...options }, () => 0.99);
      for (let index = 0; index < 8; index++) answer(`b${index + 20}`, 50, 50, 1);
      answer('b9', 1, 1, 2);
      expect([pickKey(2), pickKey(2), pickKey(2)].filter((key) => key === 'b9')).toHaveLength(uses);
    }
    // With few backends the formula has no answer: one use, or everyone follows the same few answers.
    const few = service(10, { name: 'prequal', removalsPerPick: 0 }, () => 0);
    for (let index = 0; index < 5; index++) few.answer(`b${index}`, 50, 50, 1);
    few.answer('b9', 1, 1, 2);
    expect([few.pickKey(2), few.pickKey(2)].filter((key) => key === 'b9')).toHaveLength(1);
  });

  it('removes the oldest and the worst in turns after its picks', () => {
    const { answer, pickKey } = service(20, 'prequal', () => 0.99);
    const given = { b1: 20, b2: 10, b3: 40, b4: 30, b5: 99, b6: 60, b7: 70 };
    for (const [index, [key, latencyMs]] of Object.entries(given).entries()) {
      answer(key, 1, latencyMs, index + 1);
    }
    expect(pickKey(8)).toBe('b2'); // and the oldest goes, though it is the next in speed: b1
    expect(pickKey(8)).toBe('b4'); // and the slowest goes, not the oldest: b5
    expect(pickKey(8)).toBe('b3'); // and the oldest goes: b6. Left is b7, and one answer is no choice.
    expect(pickKey(8)).toBe('b19');
  });

  it('may remove more than there is', () => {
    const { answer, pickKey } = service(50, { name: 'prequal', removalsPerPick: 5 }, () => 0);
    answer('b5', 1, 9, 1);
    answer('b6', 1, 8, 1);
    expect(pickKey(1)).toBe('b6');
    expect(pickKey(1)).toBe('b0');
  });

  it('owes about three probes a pick, of random backends, and one after a while without any', () => {
    const { probing, picker } = service(20);
    const probes = (now: number) => {
      const keys: string[] = [];
      for (let backend = probing.nextProbe(now); backend; backend = probing.nextProbe(now))
        keys.push(backend.key);
      return keys;
    };
    expect(probes(0)).toHaveLength(3); // for the pick that adopted the snapshot
    expect(probes(1)).toHaveLength(0);
    picked(picker, 2);
    picked(picker, 2);
    const asked = probes(2);
    expect(asked).toHaveLength(6);
    expect(new Set(asked).size).toBeGreaterThan(2);
    expect(probes(501)).toHaveLength(0);
    expect(probes(502)).toHaveLength(1);
    // Never more than fill the pool, however long nobody asked.
    for (let index = 0; index < 50; index++) picked(picker, 503);
    expect(probes(503)).toHaveLength(16);
    expect(probing.timeoutMs).toBe(3);
  });

  it('has nobody to probe without backends', () => {
    const roster = new Roster();
    const picker = createPicker(roster, () => 0, 'prequal');
    picker.pick(0);
    expect(picker.probing!.nextProbe(0)).toBeUndefined();
  });

  it('has nobody to probe before its first pick, and then somebody at once', () => {
    const roster = new Roster();
    roster.update(['a']);
    roster.mark('a', 'ready', 0);
    const picker = createPicker(roster, () => 0, { name: 'prequal', probesPerPick: 0 });
    expect(picker.probing!.nextProbe(0)).toBeUndefined();
    picker.pick(1);
    expect(picker.probing!.nextProbe(1)?.key).toBe('a');
  });

  it('tries a backend that has no latency to report', () => {
    const { answer, pickKey } = service(100);
    answer('b1', 1, 10, 1);
    answer('b2', 1, 30, 1);
    answer('b3', 1, undefined, 1);
    expect(pickKey(1)).toBe('b3');
  });

  it('ignores answers that are nonsense, late, or of backends it no longer uses', () => {
    const { answer, roster, picker, probing, pickKey } = service(50, 'prequal', () => 0);
    answer('b1', Number.NaN, 1, 1);
    answer('b2', -1, 1, 1);
    probing.onAnswer(roster.get('b3')!, { latencyMs: 1 }, 1);
    const gone = roster.get('b4')!;
    roster.mark('b4', 'lame-duck', 1);
    picker.pick(1);
    probing.onAnswer(gone, { inFlight: 0, latencyMs: 1 }, 1);
    probing.onFailure(gone, 1);
    answer('b9', 0, 1, 1);
    // Only b9's counts, and one answer is no choice.
    expect(pickKey(1)).toBe('b0');
  });

  it('forgets the answer of a backend that stops answering, or stops being usable', () => {
    const { answer, roster, probing, pickKey } = service(50, 'prequal', () => 0);
    answer('b5', 0, 1, 1);
    answer('b6', 0, 2, 1);
    answer('b7', 0, 3, 1);
    answer('b8', 0, 4, 1);
    probing.onFailure(roster.get('b5')!, 1);
    roster.mark('b6', 'refusing', 1);
    expect(pickKey(1)).toBe('b7');
    answer('b7', 0, 3, 2);
    answer('b8', 0, 4, 2);
    roster.mark('b8', 'refusing', 2);
    // Left is the answer of b7, and one is no choice.
    expect(pickKey(2)).toBe('b0');
  });

  it('passes over answers of backends at their active limit', () => {
    const { answer, pickKey, roster } = service(3, 'prequal', () => 0, 2);
    // The pick that adopted the snapshot is active at b0; with one more it is full.
    answer('b0', 0, 1, 1);
    answer('b1', 0, 9, 1);
    expect(pickKey(1)).toBe('b0');
    expect(roster.get('b0')!.active).toBe(2);
    answer('b0', 0, 1, 2);
    answer('b1', 0, 9, 2);
    expect(pickKey(2)).toBe('b1');
    answer('b0', 0, 1, 3);
    answer('b1', 0, 9, 3);
    expect(pickKey(3)).toBe('b1');
    // Now both of the pool are full: any that is open.
    answer('b0', 0, 1, 4);
    answer('b1', 0, 9, 4);
    expect(pickKey(4)).toBe('b2');
  });

  it('prefers fast backends to slow ones', () => {
    const { picker } = service(20);
    const slow = (key: string) => key === 'b0' || key === 'b1';
    probed(picker, (key) => ({ inFlight: 1, latencyMs: slow(key) ? 160 : 10 }));
    const counts = shares(picker, 1, 5_000);
    expect((counts['b0'] ?? 0) + (counts['b1'] ?? 0)).toBeLessThan(0.005);
  });

  it('does not fall for a backend that fails fast', () => {
    const { picker } = service(20);
    // b0 answers probes with nothing in flight and no latency to speak of, and fails everything.
    probed(picker, (key) =>
      key === 'b0' ? { inFlight: 0, latencyMs: 0.1 } : { inFlight: 2, latencyMs: 20 },
    );
    const counts = shares(picker, 1, 60_000, (key) => (key === 'b0' ? 'failed' : 'answered'));
    // A fair share would be 5 %; in 60 s it is tried 1 + 2 + 4 … + 30 s apart.
    expect(counts['b0']).toBeLessThan(0.001);
    expect(counts['b0']).toBeGreaterThan(0);
  });

  it('drops the answer of a backend that fails, refuses or limits, and of no other', () => {
    const outcomes: [Outcome, string][] = [
      ['failed', 'b6'],
      ['task-overloaded', 'b6'],
      ['overloaded-no-retry', 'b6'],
      ['limited', 'b6'],
      ['answered', 'b5'],
      ['aborted', 'b5'],
    ];
    for (const [outcome, next] of outcomes) {
      const { answer, picker, pickKey } = service(100, { name: 'prequal', removalsPerPick: 0 }, () => 0.99);
      for (let index = 10; index < 20; index++) answer(`b${index}`, 3, 90, 1);
      answer('b5', 1, 10, 1);
      answer('b6', 1, 20, 1);
      const pick = picked(picker, 1);
      expect(pick.backend.key).toBe('b5');
      answer('b5', 1, 10, 2);
      pick.done(outcome, 2);
      expect(pickKey(2)).toBe(next);
    }
  });

  it('takes a recovered backend back', () => {
    const { picker } = service(20);
    probed(picker);
    let isBroken = true;
    const outcome = (key: string): Outcome => (key === 'b0' && isBroken ? 'connect-failed' : 'answered');
    shares(picker, 1, 10_000, outcome);
    isBroken = false;
    shares(picker, 10_000, 20_000, outcome);
    expect(shares(picker, 40_000, 5_000, outcome)['b0']).toBeGreaterThan(0.03);
  });

  it('ejects at most half, so that a failing service is not failed onto a few', () => {
    const { picker } = service(10);
    probed(picker);
    const counts = shares(picker, 1, 900, () => 'failed');
    expect(Object.keys(counts).length).toBe(10);
    const later = shares(picker, 902, 90, () => 'failed');
    expect(Object.values(later).filter((share) => share > 0.05).length).toBeGreaterThanOrEqual(5);
  });

  describe('ejects', () => {
    /** Sends at an instant until each of these has failed once; what goes to others is given up. */
    function fail(picker: Picker, keys: string[], now: number) {
      const left = new Set(keys);
      while (left.size > 0) {
        const pick = picked(picker, now);
        pick.done(left.delete(pick.backend.key) ? 'broken' : 'aborted', now);
      }
    }
    function seenAt(picker: Picker, now: number) {
      const picks = Array.from({ length: 50 }, () => picked(picker, now));
      for (const pick of picks) pick.done('aborted', now);
      return [...new Set(picks.map(({ backend }) => backend.key))].sort();
    }

    it('two of four that fail, and no third', () => {
      const { picker } = service(4);
      fail(picker, ['b0', 'b1'], 1);
      expect(seenAt(picker, 2)).toEqual(['b2', 'b3']);
      fail(picker, ['b2'], 2);
      expect(seenAt(picker, 3)).toEqual(['b2', 'b3']);
    });

    it('nobody for one failure among successes', () => {
      const { picker } = service(2);
      shares(picker, 1, 20);
      fail(picker, ['b0'], 30);
      expect(seenAt(picker, 31)).toEqual(['b0', 'b1']);
    });

    it('once, for all that was under way', () => {
      const { picker } = service(2);
      const held = Array.from({ length: 10 }, () => picked(picker, 1));
      for (const pick of held) pick.done(pick.backend.key === 'b0' ? 'broken' : 'aborted', 2);
      expect(seenAt(picker, 1_001)).toEqual(['b1']);
      expect(seenAt(picker, 1_002)).toEqual(['b0', 'b1']);
    });
  });

  it('ignores answers while the backends have changed and it does not know yet', () => {
    const { answer, roster, pickKey } = service(50, 'prequal', () => 0);
    roster.mark('b0', 'refusing', 1);
    roster.snapshot(1);
    // Each stands where another stood.
    answer('b5', 0, 1, 1);
    answer('b7', 0, 2, 1);
    expect(pickKey(1)).toBe('b1');
  });

  it('never ejects the only backend', () => {
    const { picker } = service(1);
    expect(shares(picker, 1, 100, () => 'broken')).toEqual({ b0: expect.closeTo(1) });
  });

  it('picks an ejected one rather than nothing when only it has room', () => {
    const { picker, roster } = service(2, 'prequal', seeded(5), 3);
    const failing = picked(picker, 1);
    failing.done('broken', 1);
    const other = failing.backend.key === 'b0' ? 'b1' : 'b0';
    while (roster.get(other)!.active < 3) expect(picked(picker, 2).backend.key).toBe(other);
    expect(picked(picker, 3).backend).toBe(failing.backend);
  });

  it('refuses impossible options with field and value', () => {
    const make = (options: object) => () => service(1, { name: 'prequal', ...options });
    expect(make({ poolSize: 1 })).toThrow('poolSize must be an integer from 2 to 1024, got 1');
    expect(make({ maxAgeMs: 0 })).toThrow('maxAgeMs must be a finite number > 0, got 0');
    expect(make({ probesPerPick: 17 })).toThrow('probesPerPick must be from 0 to 16, got 17');
    expect(make({ removalsPerPick: -1 })).toThrow('removalsPerPick must be from 0 to 16, got -1');
    expect(make({ probeTimeoutMs: -3 })).toThrow('probeTimeoutMs must be a finite number > 0, got -3');
    expect(make({ idleProbeMs: 0 })).toThrow('idleProbeMs must be a finite number > 0, got 0');
    expect(make({ hotQuantile: 2 })).toThrow('hotQuantile must be from 0 to 1, got 2');
    expect(make({ reuseSlack: -1 })).toThrow('reuseSlack must be a finite number >= 0, got -1');
    expect(make({ probes: 3 })).toThrow('prequal has no option "probes"');
  });
});
