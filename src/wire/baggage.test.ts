import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CRITICALITIES } from '../core/index.js';
import { baggageWith, criticalityInBaggage } from './baggage.js';

it.each([
  ['alone', 'criticality=SHEDDABLE'],
  ['first', 'criticality=SHEDDABLE,user=7'],
  ['last', 'user=7,criticality=SHEDDABLE'],
  ['between blanks', 'user=7 , \t criticality \t= SHEDDABLE , x=1'],
  ['with properties', 'criticality=SHEDDABLE;ttl=3;x,user=7'],
  ['in small letters', 'criticality=sheddable'],
  ['after one that looks like it', 'a=criticality=CRITICAL,xcriticality=CRITICAL,criticality=SHEDDABLE'],
  ['after one with more to its name', 'criticality2=CRITICAL,criticality =SHEDDABLE'],
  ['before another', 'criticality=SHEDDABLE,criticality=CRITICAL'],
])('finds the criticality %s', (_, baggage) => {
  expect(criticalityInBaggage(baggage)).toBe('SHEDDABLE');
});

it('finds none where there is none', () => {
  for (const baggage of [
    '',
    'user=7',
    'Criticality=SHEDDABLE',
    'my criticality=SHEDDABLE',
    'criticality',
    'criticality;=CRITICAL',
  ]) {
    expect(criticalityInBaggage(baggage)).toBeUndefined();
  }
});

it('says when it is malformed', () => {
  for (const value of ['', 'high', 'CRITICAL PLUS', 'SHEDDABLE%20']) {
    expect(criticalityInBaggage(`criticality=${value}`)).toBe('malformed');
  }
});

it('reads no more than anybody has to carry', () => {
  expect(criticalityInBaggage(`${'x'.repeat(8_175)},criticality=SHEDDABLE`)).toBe('malformed');
  expect(criticalityInBaggage(`${'x'.repeat(8_192)},criticality=SHEDDABLE`)).toBeUndefined();
});

it('sets ours and leaves the others', () => {
  expect(baggageWith('', 'CRITICAL')).toBe('criticality=CRITICAL');
  expect(baggageWith('user=7;p=1, x=2', 'CRITICAL')).toBe('user=7;p=1, x=2,criticality=CRITICAL');
  expect(baggageWith('criticality=SHEDDABLE', 'CRITICAL')).toBe('criticality=CRITICAL');
  expect(baggageWith('criticality=SHEDDABLE,user=7', 'CRITICAL')).toBe('user=7,criticality=CRITICAL');
  expect(baggageWith('user=7, criticality=SHEDDABLE;p , x=2', 'CRITICAL')).toBe(
    'user=7, x=2,criticality=CRITICAL',
  );
  expect(baggageWith('user=7,criticality=SHEDDABLE', 'CRITICAL')).toBe('user=7,criticality=CRITICAL');
  expect(baggageWith('criticality=a,criticality=b', 'CRITICAL')).toBe('criticality=CRITICAL');
});

it('leaves ours out rather than what is somebody else’s', () => {
  const full = 'x'.repeat(8_192);
  expect(baggageWith(full, 'CRITICAL')).toBe(full);
  const room = 'x'.repeat(8_192 - ',criticality=CRITICAL'.length);
  expect(baggageWith(room, 'CRITICAL')).toBe(`${room},criticality=CRITICAL`);
  expect(baggageWith(`${room}x`, 'CRITICAL')).toBe(`${room}x`);
});

const piece = fc.constantFrom('criticality', '=', ',', ' ', ';', 'CRITICAL', 'x', '\t');

it('reads what it wrote, whatever was there before', () => {
  const anything = fc.oneof(
    fc.array(piece).map((pieces) => pieces.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(anything, fc.constantFrom(...CRITICALITIES), (before, criticality) => {
      const after = baggageWith(before, criticality);
      expect(criticalityInBaggage(after)).toBe(criticality);
      expect(baggageWith(after, criticality)).toBe(after);
    }),
  );
});
