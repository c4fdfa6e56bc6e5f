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
});
