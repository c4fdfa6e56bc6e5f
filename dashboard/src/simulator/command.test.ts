import { expect, it } from 'vitest';
import { commandOf } from './command.js';

it('says only what is not as usual', () => {
  expect(commandOf({ subject: { kind: 'scenario', name: 'plateau' }, seed: 0, policies: [] })).toBe(
    'plimsoll simulate plateau',
  );
  expect(
    commandOf({ subject: { kind: 'fleet', text: '' }, seed: 7, policies: ['weighted', 'prequal'] }),
  ).toBe('plimsoll simulate fleet.yaml --seed 7 --policy weighted,prequal');
});
