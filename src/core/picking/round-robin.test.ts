import { describe, expect, it } from 'vitest';
import { Roster } from '../health/roster.js';
import { createPicker } from './create-picker.js';
import { answered, describePicker, picked } from './picker.contract.js';

// Ten backends in turn: after 10,000 picks each has had exactly 1,000.
describePicker('round-robin', (roster, random) => createPicker(roster, random, 'round-robin'), 0);

describe('round robin', () => {
  function service(keys: string[], random = () => 0) {
    const roster = new Roster();
    roster.update(keys);
    for (const key of keys) roster.mark(key, 'ready', 0);
    return { roster, picker: createPicker(roster, random, { name: 'round-robin' }) };
  }

  it('goes round, starting anywhere', () => {
    const { picker } = service(['a', 'b', 'c'], () => 0.5);
    expect(Array.from({ length: 7 }, () => answered(picker, 0))).toEqual(['b', 'c', 'a', 'b', 'c', 'a', 'b']);
  });

  it('goes on where it was when the backends change', () => {
    const { roster, picker } = service(['a', 'b', 'c', 'd']);
    expect([answered(picker, 0), answered(picker, 0)]).toEqual(['a', 'b']);
    roster.mark('a', 'lame-duck', 1);
    expect(answered(picker, 1)).toBe('c');
    roster.update(['b', 'c', 'd', 'e']);
    roster.mark('e', 'ready', 2);
    expect(Array.from({ length: 4 }, () => answered(picker, 2))).toEqual(['d', 'e', 'b', 'c']);
  });

  it('passes over backends at their limit, and keeps the order of the others', () => {
    const roster = new Roster({ activeLimit: 1 });
    roster.update(['a', 'b', 'c']);
    for (const key of ['a', 'b', 'c']) roster.mark(key, 'ready', 0);
    const picker = createPicker(roster, () => 0, 'round-robin');
    const first = picked(picker, 0);
    expect(first.backend.key).toBe('a');
    expect(Array.from({ length: 4 }, () => answered(picker, 0))).toEqual(['b', 'c', 'b', 'c']);
    first.done('answered', 0);
    expect(answered(picker, 0)).toBe('a');
  });

  it('refuses a policy it does not know, and options of another', () => {
    const roster = new Roster();
    expect(() => createPicker(roster, () => 0, 'fastest' as 'prequal')).toThrow(
      'policy must be one of round-robin, least-loaded, weighted, prequal, got "fastest"',
    );
    const misspelt = { name: 'weighted', errorUtilizationPenalty: 2 } as unknown as 'weighted';
    expect(() => createPicker(roster, () => 0, misspelt)).toThrow(
      'weighted has no option "errorUtilizationPenalty"',
    );
    const stray = { name: 'round-robin', updateMs: 5 } as unknown as 'round-robin';
    expect(() => createPicker(roster, () => 0, stray)).toThrow('round-robin has no options, got "updateMs"');
  });
});
