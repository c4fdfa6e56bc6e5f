import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type QuotaLevels, SPARE_STRIDE } from '../core/index.js';
import { LevelsDecoder, LevelsEncoder } from './quota-levels.js';

const { POSITIVE_INFINITY } = Number;
const float = (least: number) => fc.float({ min: Math.fround(least), max: Math.fround(1e30), noNaN: true });
const spare = fc.oneof(fc.constant(POSITIVE_INFINITY), float(-1e30));
const row = fc.record({
  rank: fc.nat(3),
  level: float(0).map(Math.abs),
  kind: fc.constantFrom('held', 'saving', 'free'),
  spare: fc.array(spare, { minLength: SPARE_STRIDE, maxLength: SPARE_STRIDE }),
});

function levels(
  names: readonly string[],
  rows: readonly { rank: number; level: number; kind: string; spare: number[] }[],
): QuotaLevels {
  return {
    token: 2 ** 40 + 1,
    sequence: 8,
    backends: 1_000,
    names,
    rank: Uint8Array.from(rows, ({ rank }) => rank),
    level: Float64Array.from(rows, ({ kind, level }) => (kind === 'free' ? POSITIVE_INFINITY : level)),
    isHeld: Uint8Array.from(rows, ({ kind }) => (kind === 'held' ? 1 : 0)),
    spare: Float64Array.from(rows.flatMap((each) => each.spare)),
  };
}

const encodeLevels = (sent: QuotaLevels) => new LevelsEncoder().encode(sent).whole;
const decodeLevels = (bytes: Uint8Array) => new LevelsDecoder().decode(bytes);

/** Of one whose first levels had the same names. */
function encodeBrief(sent: QuotaLevels): Uint8Array {
  const encoder = new LevelsEncoder();
  encoder.encode(sent);
  encoder.said();
  return encoder.encode(sent).pushed;
}

/** As they are told between those for all. */
function encodeHeld(sent: QuotaLevels): Uint8Array {
  return encodeBrief({ ...sent, sequence: 9 });
}

/** What is left of levels when only those who are held are told. */
function onlyHeld(sent: QuotaLevels): QuotaLevels {
  const told = Uint16Array.from([...sent.names.keys()].filter((row) => sent.isHeld[row] === 1));
  return {
    ...sent,
    sequence: 9,
    told,
    rank: Uint8Array.from(told, (row) => sent.rank[row]!),
    level: Float64Array.from(told, (row) => sent.level[row]!),
    isHeld: new Uint8Array(told.length).fill(1),
    spare: Float64Array.from([...told].flatMap((row) => [...sent.spare.subarray(row * 4, row * 4 + 4)])),
  };
}

/** That has heard those names. */
function knowing(names: readonly string[]): LevelsDecoder {
  const decoder = new LevelsDecoder();
  const free = {
    rank: 0,
    level: 0,
    kind: 'free',
    spare: [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 1],
  };
  decoder.decode(
    encodeLevels(
      levels(
        names,
        names.map(() => free),
      ),
    ),
  );
  return decoder;
}

const EXAMPLE = levels(
  ['a', '', 'Zoë & co'],
  [
    { rank: 2, level: 0.5, kind: 'held', spare: [1, POSITIVE_INFINITY, POSITIVE_INFINITY, -3] },
    { rank: 0, level: 0, kind: 'free', spare: [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 7] },
    { rank: 3, level: 0, kind: 'saving', spare: [0, 0, 0, 0] },
  ],
);

describe('quota levels', () => {
  it('are the same after the journey', () => {
    expect(decodeLevels(encodeLevels(EXAMPLE))).toEqual(EXAMPLE);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
        const sent = levels(
          rows.map((_, index) => `customer-${index}`),
          rows,
        );
        expect(decodeLevels(encodeLevels(sent))).toEqual(sent);
        expect(knowing(sent.names).decode(encodeHeld(sent))).toEqual(onlyHeld(sent));
      }),
    );
  });

  it('are short between those for all: they tell of those who are held', () => {
    const encoder = new LevelsEncoder();
    encoder.encode(EXAMPLE);
    encoder.said();
    const lengths = [8, 9, 10, 11, 12].map(
      (sequence) => encoder.encode({ ...EXAMPLE, sequence }).pushed.length,
    );
    expect(lengths).toEqual([
      48 + 13 + 5 + 21,
      48 + 4 + 2 + 13,
      48 + 4 + 2 + 13,
      48 + 4 + 2 + 13,
      48 + 13 + 5 + 21,
    ]);
  });

  it.each([
    ['more of them than names', 48, [0, 0, 0, 4]],
    ['one who has no name', 52, [0, 3]],
    ['one who is not held', 54, [0b1001_1010]],
    ['one who is told of before', 52 + 15, [0, 0]],
  ])('do not accept %s among those who are held', (_, at, bytes) => {
    const damaged = encodeHeld({ ...EXAMPLE, isHeld: Uint8Array.of(1, 0, 1) });
    const decoder = knowing(EXAMPLE.names);
    expect(decoder.decode(damaged)).toMatchObject({ told: Uint16Array.of(0, 2) });
    damaged.set(bytes, at);
    expect(decoder.decode(damaged)).toBeUndefined();
  });

  it('leave out a name that cannot travel', () => {
    const free = { rank: 1, level: 3, kind: 'held', spare: [1, 2, 3, 4] };
    const sent = levels(['x'.repeat(500), 'fine'], [{ ...free, rank: 2 }, free]);
    expect(decodeLevels(encodeLevels(sent))).toMatchObject({ names: ['fine'], rank: Uint8Array.of(1) });
  });

  it('stay what they are, whatever is decoded after them: who hears them may not believe the next ones', () => {
    const decoder = new LevelsDecoder();
    const heard = decoder.decode(encodeLevels(EXAMPLE));
    const others = {
      ...EXAMPLE,
      token: 1,
      level: EXAMPLE.level.map(() => 1),
      isHeld: EXAMPLE.isHeld.map(() => 1),
    };
    decoder.decode(encodeLevels(others));
    expect(decoder.decode(encodeLevels(others).subarray(0, -1))).toBeUndefined();
    expect(heard).toEqual(EXAMPLE);
  });

  it('are garbage when they are: no bytes make the decoder throw, or believe a number that is none', () => {
    const decoder = knowing(EXAMPLE.names);
    const check = (bytes: Uint8Array) => {
      const decoded = decoder.decode(bytes);
      if (decoded === undefined || decoded === 'names-needed') return;
      expect(decoded.rank).toHaveLength(decoded.told?.length ?? decoded.names.length);
      expect(decoded.told?.every((row) => row < decoded.names.length) ?? true).toBe(true);
      expect(decoded.level.every((level) => level >= 0)).toBe(true);
      expect(decoded.spare.every((each) => !Number.isNaN(each) && each > -Infinity)).toBe(true);
      expect(decoded.isHeld.every((held, at) => held === 0 || decoded.level[at]! < Infinity)).toBe(true);
    };
    const sent = [encodeBrief(EXAMPLE), encodeLevels(EXAMPLE), encodeHeld(EXAMPLE)];
    for (const good of sent) {
      fc.assert(
        fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
          const bytes = Uint8Array.from(good);
          bytes[at] = byte;
          check(bytes);
          check(bytes.subarray(0, length));
        }),
      );
      const fresh = knowing(EXAMPLE.names);
      expect(fresh.decode(good)).toEqual(good === sent[2] ? onlyHeld(EXAMPLE) : EXAMPLE);
      for (let length = 0; length < good.length; length++)
        expect(fresh.decode(good.subarray(0, length))).toBeUndefined();
      expect(fresh.decode(Uint8Array.from([...good, 0]))).toBeUndefined();
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), check));
  });

  it.each([
    ['another version', 0, [4]],
    ['a token that is no number', 8, [0x7f, 0xf8]],
    ['no backends', 24, [0, 0, 0, 0]],
    ['too many rows', 28, [0, 1, 0, 0]],
    ['a nobody', 36, [0x25]],
  ])('do not accept %s', (_, at, bytes) => {
    const damaged = encodeLevels(EXAMPLE);
    damaged.set(bytes, at);
    expect(decodeLevels(damaged)).toBeUndefined();
  });

  it('reads names that are the same only once, and others that look like them', () => {
    const decoder = new LevelsDecoder();
    const bytes = encodeLevels(EXAMPLE);
    const first = decoder.decode(bytes) as QuotaLevels;
    const again = decoder.decode(encodeLevels({ ...EXAMPLE, sequence: 12 })) as QuotaLevels;
    expect(again.names).toBe(first.names);
    const others = { ...EXAMPLE, names: ['b', '', 'Zoë & co'] };
    expect(decoder.decode(encodeLevels(others))).toEqual(others);
    // Lent: what it was read from may be overwritten.
    const lent = encodeLevels(EXAMPLE);
    decoder.decode(lent);
    lent.fill(0);
    expect(decoder.decode(bytes)).toEqual(EXAMPLE);
  });

  it('go without their names when those were said, until they are others', () => {
    const [encoder, decoder] = [new LevelsEncoder(), new LevelsDecoder()];
    const say = (sent: QuotaLevels) => {
      const { whole, pushed } = encoder.encode(sent);
      encoder.said();
      expect(decodeLevels(whole)).toEqual(sent);
      expect(decoder.decode(pushed)).toEqual(sent);
      return pushed === whole ? 'whole' : 'brief';
    };
    const others = { ...EXAMPLE, names: ['b', '', 'Zoë & co'] };
    expect([EXAMPLE, EXAMPLE, others, others, EXAMPLE, levels([], []), levels([], [])].map(say)).toEqual([
      'whole',
      'brief',
      'whole',
      'brief',
      'whole',
      'whole',
      'brief',
    ]);
  });

  it('have their names again when nobody knows whether they were heard', () => {
    const encoder = new LevelsEncoder();
    encoder.encode(EXAMPLE);
    const { whole, pushed } = encoder.encode(EXAMPLE);
    expect(pushed).toBe(whole);
  });

  it('need names of whoever has not heard them, or has heard others since', () => {
    const brief = encodeBrief(EXAMPLE);
    expect(decodeLevels(brief)).toBe('names-needed');
    expect(knowing(['a', '', 'b']).decode(brief)).toBe('names-needed');
    expect(knowing(['a']).decode(brief)).toBe('names-needed');
    const decoder = knowing(EXAMPLE.names);
    expect(decoder.decode(brief)).toEqual(EXAMPLE);
    // A name cannot be chosen so that one list is taken for two, or two for one.
    expect(knowing(['a', '', 'Zoë', '&', 'co']).decode(brief)).toBe('names-needed');
    expect(knowing(['a ', 'Zoë & co']).decode(brief)).toBe('names-needed');
  });
});
