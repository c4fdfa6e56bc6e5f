import { describe, expect, it } from 'vitest';
import { Roster } from '../health/roster.js';
import { createPicker } from './create-picker.js';
import { answered, describePicker, picked } from './picker.contract.js';

// With nothing active all ten are equal, and it is round robin: exactly 1,000 each.
describePicker('least-loaded', (roster, random) => createPicker(roster, random, 'least-loaded'), 0);

describe('least-loaded round robin', () => {
  /** t0 … t9 with so many requests active at each. */
  function tasks(active: number[]) {
    const keys = active.map((_, index) => `t${index}`);
    const roster = new Roster();
    roster.update(keys);
    for (const key of keys) roster.mark(key, 'ready', 0);
    const picker = createPicker(roster, () => 0, 'least-loaded');
    // Two rounds over all ten, of which each task then keeps as many as the table says.
    const picks = Array.from({ length: 20 }, () => picked(picker, 0));
    const held = new Map(keys.map((key) => [key, picks.filter((pick) => pick.backend.key === key)]));
    for (const [index, key] of keys.entries()) {
      for (const pick of held.get(key)!.splice(active[index]!)) pick.done('answered', 0);
    }
    const counts = () => keys.map((key) => roster.get(key)!.active);
    return { picker, held, counts };
  }

  it('follows the table t0 … t9 of SRE ch. 20, step by step', () => {
    const { picker, held, counts } = tasks([2, 1, 0, 0, 1, 0, 2, 0, 0, 1]);
    expect(counts()).toEqual([2, 1, 0, 0, 1, 0, 2, 0, 0, 1]);
    // The candidates are t2, t3, t5, t7 and t8; it takes t2.
    expect(picked(picker, 1).backend.key).toBe('t2');
    expect(counts()).toEqual([2, 1, 1, 0, 1, 0, 2, 0, 0, 1]);
    // Nothing is done meanwhile: now t3, t5, t7 and t8, and four requests take one each.
    const next = Array.from({ length: 4 }, () => picked(picker, 2).backend.key);
    expect(next.toSorted()).toEqual(['t3', 't5', 't7', 't8']);
    expect(counts()).toEqual([2, 1, 1, 1, 1, 1, 2, 1, 1, 1]);
    // Now all but t0 and t6 are candidates. t4 finishes its request, so the next one goes there.
    held.get('t4')![0]!.done('answered', 3);
    expect(counts()).toEqual([2, 1, 1, 1, 0, 1, 2, 1, 1, 1]);
    expect(picked(picker, 4).backend.key).toBe('t4');
    // And from there on all but t0 and t6, each once, before those two come in again.
    const round = Array.from({ length: 8 }, () => picked(picker, 5).backend.key);
    expect(round.toSorted()).toEqual(['t1', 't2', 't3', 't4', 't5', 't7', 't8', 't9']);
    expect(counts()).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
  });

  it('takes turns among equals when all are equally loaded', () => {
    const { picker } = tasks([0, 0, 0]);
    const turns = Array.from({ length: 9 }, () => answered(picker, 0));
    for (const key of ['t0', 't1', 't2']) expect(turns.filter((turn) => turn === key)).toHaveLength(3);
  });

  it('keeps counting over a change of the backends', () => {
    const roster = new Roster();
    roster.update(['a', 'b']);
    for (const key of ['a', 'b']) roster.mark(key, 'ready', 0);
    const picker = createPicker(roster, () => 0, 'least-loaded');
    const held = Array.from({ length: 4 }, () => picked(picker, 0));
    roster.update(['a', 'b', 'c']);
    roster.mark('c', 'ready', 1);
    // c has none, a and b two each: the next two go to c, then it is everybody's turn.
    expect([picked(picker, 1), picked(picker, 1)].map((pick) => pick.backend.key)).toEqual(['c', 'c']);
    // A request that started before the change, at a backend that is out of the snapshot when it ends.
    const old = held.find((pick) => pick.backend.key === 'a')!;
    roster.mark('a', 'lame-duck', 2);
    picked(picker, 2).done('answered', 2);
    old.done('answered', 3);
    expect(roster.get('a')!.active).toBe(1);
    roster.mark('a', 'ready', 4);
    expect(picked(picker, 4).backend.key).toBe('a');
  });

  it('counts recent errors and refusals as active, so that no sinkhole forms', () => {
    for (const outcome of ['failed', 'task-overloaded', 'limited', 'connect-failed'] as const) {
      const keys = Array.from({ length: 20 }, (_, index) => `b${index}`);
      const roster = new Roster({ outliers: false });
      roster.update(keys);
      for (const key of keys) roster.mark(key, 'ready', 0);
      const picker = createPicker(roster, () => 0, 'least-loaded');
      // Good backends take 20 ms at 1,000 requests a second; b0 fails or refuses at once.
      const ends: { at: number; end: () => void }[] = [];
      let toBad = 0;
      for (let now = 0; now < 10_000; now++) {
        while (ends.length > 0 && ends[0]!.at <= now) ends.shift()!.end();
        const pick = picked(picker, now);
        if (pick.backend.key !== 'b0') ends.push({ at: now + 20, end: () => pick.done('answered', now) });
        else {
          toBad++;
          pick.done(outcome, now);
        }
      }
      // A fair share is 500. One a second for each that is active elsewhere, one or two.
      expect(toBad).toBeLessThan(60);
      expect(toBad).toBeGreaterThan(5);
    }
  });

  it('forgives errors after a second', () => {
    const { picker } = tasks([0, 0]);
    const bad = picked(picker, 10);
    bad.done('failed', 10);
    const others = new Set(Array.from({ length: 4 }, () => answered(picker, 20)));
    expect(others.has(bad.backend.key)).toBe(false);
    expect(new Set(Array.from({ length: 4 }, () => answered(picker, 1_010))).has(bad.backend.key)).toBe(true);
  });

  it('remembers no more than a hundred errors of a backend, and not those of one that is gone', () => {
    const roster = new Roster({ outliers: false });
    roster.update(['a', 'b']);
    for (const key of ['a', 'b']) roster.mark(key, 'ready', 0);
    const picker = createPicker(roster, () => 0, 'least-loaded');
    for (let index = 0; index < 500; index++) picked(picker, 0).done('failed', 0);
    roster.mark('b', 'lame-duck', 1);
    for (let index = 0; index < 10; index++) expect(answered(picker, 2)).toBe('a');
    // All forgotten at once, a second later, without upsetting the order.
    roster.mark('b', 'ready', 3);
    const turns = Array.from({ length: 10 }, () => answered(picker, 1_500));
    expect(turns.filter((key) => key === 'a')).toHaveLength(5);
  });

  it('keeps to the limit when another picker shares the roster', () => {
    const roster = new Roster({ activeLimit: 1 });
    roster.update(['a', 'b']);
    for (const key of ['a', 'b']) roster.mark(key, 'ready', 0);
    const one = createPicker(roster, () => 0, 'least-loaded');
    const other = createPicker(roster, () => 0, 'least-loaded');
    const taken = [picked(one, 0), picked(other, 0)];
    expect(new Set(taken.map(({ backend }) => backend.key)).size).toBe(2);
    expect([one.pick(0), other.pick(0)]).toEqual(['all-busy', 'all-busy']);
    taken[0]!.done('answered', 1);
    expect(picked(other, 1).backend).toBe(taken[0]!.backend);
  });
});
