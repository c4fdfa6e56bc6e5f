import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Random } from '../environment.js';
import type { ConnectionState } from '../health/backend.js';
import { Roster } from '../health/roster.js';
import { SeededRandom } from '../seeded-random.js';
import type { BackendPick, Picker } from './picker.js';

/**
 * What every policy promises, run over all of them.
 *
 * `bound` is how far the share of one of ten equal backends may lie from a tenth after 10,000 picks: each policy's
 * test argues for its own.
 */
export function describePicker(
  name: string,
  make: (roster: Roster, random: Random) => Picker,
  bound: number,
): void {
  describe(`${name} keeps the contract of a picker`, () => {
    const seeded = (seed = 1): Random => {
      const random = new SeededRandom(seed);
      return () => random.next();
    };

    function service(size: number, activeLimit = 100) {
      const keys = Array.from({ length: size }, (_, index) => `b${index}`);
      const roster = new Roster({ activeLimit });
      roster.update(keys);
      for (const key of keys) roster.mark(key, 'ready', 0);
      const picker = make(roster, seeded());
      return { keys, roster, picker };
    }

    it('says that there is no backend: none at all, or none usable', () => {
      const roster = new Roster();
      const picker = make(roster, seeded());
      expect(picker.pick(0)).toBe('no-backend');
      roster.update(['a', 'b', 'c']);
      expect(picker.pick(0)).toBe('no-backend');
      roster.mark('a', 'lame-duck', 0);
      roster.mark('b', 'refusing', 0);
      expect(picker.pick(0)).toBe('no-backend');
      roster.mark('c', 'ready', 0);
      expect(picked(picker, 0).backend.key).toBe('c');
    });

    it('picks only what is usable', () => {
      const { roster, picker } = service(6);
      roster.mark('b1', 'lame-duck', 0);
      roster.mark('b3', 'refusing', 0);
      roster.mark('b4', 'connecting', 0);
      const seen = new Set<string>();
      for (let now = 0; now < 300; now++) seen.add(answered(picker, now));
      expect([...seen].sort()).toEqual(['b0', 'b2', 'b5']);
    });

    it('does not pick one that is ejected as an outlier, until it is back', () => {
      const { picker, roster } = service(10);
      // b0 breaks whatever it is sent, until the five in a row that eject it for 30 s.
      let now = 0;
      for (; roster.get('b0')!.state === 'ready' && now < 60_000; now++) {
        const pick = picked(picker, now);
        pick.done(pick.backend.key === 'b0' ? 'broken' : 'answered', now);
      }
      const during = new Set<string>();
      for (const end = now + 1_000; now < end; now++) during.add(answered(picker, now));
      expect(during.has('b0')).toBe(false);
      expect(during.size).toBe(9);
      const after = new Set<string>();
      for (now += 60_000; after.size < 10 && now < 200_000; now++) after.add(answered(picker, now));
      expect(after.size).toBe(10);
    });

    it('gives equal backends equal shares, within its bound', () => {
      const { keys, picker } = service(10);
      const counts = new Map(keys.map((key) => [key, 0]));
      for (let index = 0; index < 10_000; index++) {
        const key = answered(picker, index / 10);
        counts.set(key, counts.get(key)! + 1);
      }
      for (const count of counts.values()) expect(Math.abs(count / 10_000 - 0.1)).toBeLessThanOrEqual(bound);
    });

    it('stops at the active limit, and goes on when something is done', () => {
      const { picker, roster } = service(3, 4);
      const picks = Array.from({ length: 12 }, () => picked(picker, 0));
      expect([...roster.members()].map((backend) => backend.active)).toEqual([4, 4, 4]);
      expect(picker.pick(0)).toBe('all-busy');
      picks[5]!.done('answered', 1);
      expect(picked(picker, 1).backend).toBe(picks[5]!.backend);
      expect(picker.pick(1)).toBe('all-busy');
    });

    it('counts `done` once', () => {
      const { picker } = service(2);
      const pick = picked(picker, 0);
      const { backend } = pick;
      expect(backend.active).toBe(1);
      pick.done('answered', 1);
      pick.done('answered', 2);
      pick.done('broken', 3);
      expect(backend.active).toBe(0);
    });

    it('carries on over members that join and leave with requests under way', () => {
      const { picker, roster } = service(3);
      const held = Array.from({ length: 9 }, () => picked(picker, 0));
      roster.update(['b1', 'b2', 'new']);
      roster.mark('new', 'ready', 10);
      for (let index = 0; index < 60; index++) held.push(picked(picker, 11));
      const seen = new Set(held.slice(9).map((pick) => pick.backend.key));
      expect([...seen].sort()).toEqual(['b1', 'b2', 'new']);
      for (const pick of held) pick.done('answered', 12);
      for (const pick of held) expect(pick.backend.active).toBe(0);
    });

    it('counts on for one that leaves with requests under way and comes back', () => {
      const { picker, roster } = service(2, 3);
      const held = Array.from({ length: 6 }, () => picked(picker, 0));
      roster.update([]);
      expect(picker.pick(1)).toBe('no-backend');
      roster.update(['b0', 'b1']);
      for (const key of ['b0', 'b1']) roster.mark(key, 'ready', 2);
      expect(picker.pick(2)).toBe('all-busy');
      for (const pick of held) pick.done('answered', 3);
      expect(picked(picker, 3).backend.active).toBe(1);
    });

    it('is not upset by an outcome that is none', () => {
      const { picker, roster } = service(2);
      const pick = picked(picker, 0);
      expect(() => pick.done('ok' as 'answered', 1)).toThrow('outcome must be one of');
      expect(pick.backend.active).toBe(1);
      pick.done('answered', 1);
      expect([...roster.members()].map((backend) => backend.active)).toEqual([0, 0]);
      const seen = new Set(Array.from({ length: 40 }, (_, now) => answered(picker, now + 2)));
      expect(seen.size).toBe(2);
    });

    it('goes on taking turns when the backends change all the time', () => {
      const { picker, roster, keys } = service(10);
      const counts = new Map(keys.map((key) => [key, 0]));
      for (let now = 0; now < 10_000; now++) {
        // Every third pick meets a new snapshot, with another backend out of it.
        if (now % 3 === 0) {
          roster.mark(keys[(now / 3) % 10]!, 'lame-duck', now);
          roster.mark(keys[(now / 3 + 9) % 10]!, 'ready', now);
        }
        const key = answered(picker, now);
        counts.set(key, counts.get(key)! + 1);
      }
      for (const count of counts.values()) expect(Math.abs(count / 10_000 - 0.1)).toBeLessThanOrEqual(0.02);
    });

    it('gives the turns of full backends to the open ones in equal parts', () => {
      const { picker, roster } = service(10, 50);
      // All are full, then b3 and b4 get everything done.
      const held = Array.from({ length: 500 }, () => picked(picker, 0));
      for (const pick of held) if (['b3', 'b4'].includes(pick.backend.key)) pick.done('answered', 0);
      expect(roster.snapshot(0).open.size).toBe(2);
      const counts: Record<string, number> = {};
      for (let index = 0; index < 2_000; index++) {
        const key = answered(picker, 1);
        counts[key] = (counts[key] ?? 0) + 1;
      }
      expect(Object.keys(counts).sort()).toEqual(['b3', 'b4']);
      expect(Math.abs(counts['b3']! - 1_000)).toBeLessThan(120);
      for (const pick of held) pick.done('answered', 2);
    });

    it('picks the same for the same seed', () => {
      const run = () => {
        const { picker } = service(7);
        return Array.from({ length: 200 }, (_, now) => answered(picker, now));
      };
      expect(run()).toEqual(run());
    });

    it('holds for any history of members, states and requests', () => {
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
      const states: ConnectionState[] = ['connecting', 'ready', 'ready', 'ready', 'lame-duck', 'refusing'];
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ kind: fc.constant('pick' as const) }) },
        {
          weight: 4,
          arbitrary: fc.record({
            kind: fc.constant('done' as const),
            which: fc.nat(),
            outcome: fc.constantFrom('answered', 'failed', 'connect-failed', 'aborted', 'task-overloaded'),
          }),
        },
        {
          weight: 3,
          arbitrary: fc.record({
            kind: fc.constant('mark' as const),
            key: fc.constantFrom(...keys),
            state: fc.constantFrom(...states),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constant('update' as const), keys: fc.subarray(keys) }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
      );
      fc.assert(
        fc.property(fc.integer(), fc.array(step, { maxLength: 80, size: 'max' }), (seed, steps) => {
          const roster = new Roster({ activeLimit: 2 });
          const picker = make(roster, seeded(seed));
          const held: BackendPick[] = [];
          let now = 0;
          roster.update(keys);
          for (const key of keys) roster.mark(key, 'ready', now);
          for (const event of steps) {
            now += 1;
            if (event.kind === 'wait') now += event.ms;
            if (event.kind === 'update') roster.update(event.keys);
            if (event.kind === 'mark') roster.mark(event.key, event.state, now);
            if (event.kind === 'done' && held.length > 0) {
              const [pick] = held.splice(event.which % held.length, 1);
              pick!.done(event.outcome, now);
            }
            if (event.kind === 'pick') checkPick(roster, picker, held, now);
          }
          for (const pick of held) pick.done('answered', now);
          for (const backend of roster.members()) expect(backend.active).toBe(0);
          for (const pick of held) expect(pick.backend.active).toBe(0);
        }),
        { numRuns: 150 },
      );
    });
  });
}

/** One pick against the naive model: count the requests held, and see who may be picked. */
function checkPick(roster: Roster, picker: Picker, held: BackendPick[], now: number): void {
  const pick = picker.pick(now);
  const isPanicking = roster.snapshot(now).isPanicking;
  const activeAt = (key: string) => held.filter((other) => other.backend === roster.get(key)).length;
  const usable = [...roster.members()].filter((backend) =>
    isPanicking ? backend.connection === 'ready' : backend.state === 'ready',
  );
  const open = usable.filter((backend) => activeAt(backend.key) < roster.activeLimit);
  if (usable.length === 0) expect(pick).toBe('no-backend');
  else if (open.length === 0) expect(pick).toBe('all-busy');
  else {
    expect(open).toContain((pick as BackendPick).backend);
    held.push(pick as BackendPick);
  }
  for (const backend of roster.members()) expect(backend.active).toBe(activeAt(backend.key));
}

/** A pick that must succeed. */
export function picked(picker: Picker, now: number): BackendPick {
  const pick = picker.pick(now);
  if (typeof pick === 'string') throw new Error(`expected a pick, got ${pick}`);
  return pick;
}

/** Picks, is answered at once, and says by whom. */
export function answered(picker: Picker, now: number): string {
  const pick = picked(picker, now);
  pick.done('answered', now);
  return pick.backend.key;
}
