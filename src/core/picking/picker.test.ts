import { expect, it } from 'vitest';
import { Roster } from '../health/roster.js';
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
