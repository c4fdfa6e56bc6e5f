import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeHealthLine, encodeHealthLine, HEALTH_STATES } from './health-line.js';

it('is a line of JSON', () => {
  expect(encodeHealthLine({ state: 'ready', report: { inFlight: 3, errorsPerSecond: 0 } })).toBe(
    '{"state":"ready","load":"TEXT eps=0,named_metrics.rif=3"}',
  );
  expect(encodeHealthLine({ state: 'lame-duck', report: {} })).toBe('{"state":"lame-duck"}');
});

it('comes back as it went', () => {
  const state = fc.constantFrom(...HEALTH_STATES);
  fc.assert(
    fc.property(state, fc.option(fc.nat(), { nil: undefined }), (state, inFlight) => {
      const health = { state, report: inFlight === undefined ? {} : { inFlight: Math.min(inFlight, 1e9) } };
      expect(decodeHealthLine(encodeHealthLine(health))).toEqual(health);
    }),
  );
});

it.each([
  '',
  '{',
  'null',
  '7',
  '"ready"',
  '[]',
  '{}',
  '{"state":"READY"}',
  '{"state":["ready"]}',
  '{"state":"constructor"}',
  '{"state":"ready","load":7}',
  '{"state":"ready","load":null}',
  '{"state":"ready","load":"TEXT eps=-1"}',
  `{"state":"ready"${' '.repeat(8_192)}}`,
])('does not believe %s', (line) => {
  expect(decodeHealthLine(line)).toBeUndefined();
});

it('passes over what it does not know', () => {
  expect(decodeHealthLine('{"state":"ready","since":7,"__proto__":{"load":"x"}}')).toEqual({
    state: 'ready',
    report: {},
  });
});

it('never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.json({ maxDepth: 2, depthSize: 'small' }), fc.string({ size: 'small' })),
      (line) => {
        expect(decodeHealthLine(line)?.state ?? 'ready').toSatisfy((state: string) =>
          /^[a-z-]+$/.test(state),
        );
      },
    ),
  );
});
