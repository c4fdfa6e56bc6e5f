import { expect, it } from 'vitest';
import { Roster } from '../health/roster.js';
import { createPicker } from './create-picker.js';
import { picked } from './picker.contract.js';
import type { Entry } from './picker.js';
import { Picker } from './picker.js';

it('does not let a policy choose what is not open', () => {
  const roster = new Roster({ activeLimit: 1 });
  roster.update(['a', 'b']);
  for (const key of ['a', 'b']) roster.mark(key, 'ready', 0);
  let first: Entry | undefined;
  const stubborn = new Picker(roster, {
    enlist: (backend) => ({ backend }),
    adopt: ([entry]) => {
      first = entry;
    },
    choose: () => first!,
    onDone: () => {},
  });
  stubborn.pick(0);
  expect(() => stubborn.pick(0)).toThrow('the policy chose a, which is not open');
  expect(roster.get('a')!.active).toBe(1);
});

it('takes a backend again that was given back, and learns from it as from any other pick', () => {
  const roster = new Roster();
  roster.update(['a']);
  roster.mark('a', 'ready', 0);
  const done: string[] = [];
  const picker = new Picker(roster, {
    enlist: (backend) => ({ backend }),
    adopt: ([entry]) => void entries.push(entry!),
    choose: () => entries[0]!,
    onDone: (entry, { ejection }) => done.push(`${entry.backend.key} ${ejection}`),
  });
  const entries: Entry[] = [];
  const first = picker.pick(0);
  if (typeof first === 'string') throw new Error(first);
  first.done('aborted', 1);
  const again = picker.pickAgain(first.backend);
  expect([again.backend, roster.get('a')!.active]).toEqual([first.backend, 1]);
  again.done('answered', 2);
  expect([done, roster.get('a')!.active]).toEqual([['a neither', 'a success'], 0]);
});

it('takes a load report also when the policy does not care', () => {
  const roster = new Roster();
  roster.update(['a']);
  roster.mark('a', 'ready', 0);
  const picker = createPicker(roster, () => 0, 'round-robin');
  picked(picker, 0).done('answered', 1, { inFlight: 1 });
  expect(roster.get('a')!.active).toBe(0);
});
