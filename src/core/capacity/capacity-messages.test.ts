import { describe, expect, it } from 'vitest';
import { readCapacityAsk, readCapacityGrant, readCapacityRelease } from './capacity-messages.js';

const BAND = { priority: 0, wants: 5, subclients: 1 };
const ASK = { client: 'a', life: 'x', turn: 1, has: 0, bands: [BAND, { ...BAND, priority: 9 }] };
const GRANT = { capacity: 5, validMs: 60_000, refreshMs: 16_000, safeCapacity: 1, inherited: undefined };

describe('readCapacityAsk', () => {
  it('takes what is one, and nothing else of it', () => {
    expect(readCapacityAsk({ ...ASK, more: 1 })).toEqual(ASK);
    expect(readCapacityAsk({ ...ASK, bands: [] })).toEqual({ ...ASK, bands: [] });
  });

  it('takes the longest name, the most there can be, and a band for each priority', () => {
    const bands = Array.from({ length: 10 }, (_, priority) => ({ ...BAND, priority }));
    const most = { ...ASK, client: 'a'.repeat(256), has: 1e15, bands };
    expect(readCapacityAsk(most)).toEqual(most);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'ask'],
    ['no name', { ...ASK, client: '' }],
    ['a long name', { ...ASK, client: 'a'.repeat(257) }],
    ['no life', { ...ASK, life: 7 }],
    ['no turn', { ...ASK, turn: 0 }],
    ['half a turn', { ...ASK, turn: 1.5 }],
    ['less than nothing', { ...ASK, has: -1 }],
    ['not a number', { ...ASK, has: Number.NaN }],
    ['no end', { ...ASK, has: Number.POSITIVE_INFINITY }],
    ['no list', { ...ASK, bands: {} }],
    ['a long list', { ...ASK, bands: new Array(11).fill(BAND) }],
    ['a priority twice', { ...ASK, bands: [BAND, BAND] }],
    ['a strange priority', { ...ASK, bands: [{ ...BAND, priority: 10 }] }],
    ['strange wants', { ...ASK, bands: [{ ...BAND, wants: '5' }] }],
    ['nobody', { ...ASK, bands: [{ ...BAND, subclients: 0 }] }],
    ['too many', { ...ASK, bands: [{ ...BAND, subclients: 1_000_001 }] }],
  ])('does not believe %s', (_, value) => {
    expect(readCapacityAsk(value)).toBeUndefined();
  });
});

describe('readCapacityRelease', () => {
  it('takes who it is', () => {
    expect(readCapacityRelease({ client: 'a', life: 'x', has: 3 })).toEqual({ client: 'a', life: 'x' });
    expect(readCapacityRelease({ client: 'a' })).toBeUndefined();
  });
});

describe('readCapacityGrant', () => {
  it('takes what is one', () => {
    expect(readCapacityGrant(JSON.parse(JSON.stringify(GRANT)))).toEqual(GRANT);
    expect(readCapacityGrant({ ...GRANT, inherited: 3 })).toEqual({ ...GRANT, inherited: 3 });
  });

  it.each(['capacity', 'validMs', 'refreshMs', 'safeCapacity', 'inherited'])(
    'does not believe odd %s',
    (field) => {
      for (const odd of [-1, Number.NaN, 1e16, '5', null]) {
        expect(readCapacityGrant({ ...GRANT, [field]: odd })).toBeUndefined();
      }
    },
  );
});
