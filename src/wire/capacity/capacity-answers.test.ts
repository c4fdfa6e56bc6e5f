import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import {
  decodeCapacityAnswer,
  decodeReleaseAnswer,
  encodeCapacityAnswer,
  encodeDiscovery,
  encodeReleaseAnswer,
} from './capacity-answers.js';
import { decodeAsPublished, encodeAsPublished } from './capacity-proto.contract.js';

const GRANT = { capacity: 40, validMs: 60_000, refreshMs: 16_000, safeCapacity: 2.5, inherited: undefined };

const amount = evenly(0, 1e15);
const ms = evenly(0, 86_400_000);
const grant = fc.record({
  capacity: amount,
  validMs: ms,
  refreshMs: ms,
  safeCapacity: amount,
  inherited: fc.option(amount, { nil: undefined }),
});
const grants = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), grant, { maxKeys: 5 });

function published(given: Record<string, typeof GRANT>, master: string | undefined): object {
  return {
    resources: Object.entries(given).map(([resource, { safeCapacity, inherited, ...lease }]) => ({
      resource,
      lease,
      safeCapacity,
      ...(inherited === undefined ? {} : { inherited }),
    })),
    mastership: master === undefined ? null : { masterAddress: master },
  };
}

describe('answers about capacity', () => {
  it('are written and read as published', () => {
    fc.assert(
      fc.property(grants, fc.constantFrom(undefined, '', 'grpc://a:1'), (given, master) => {
        const message = { grants: new Map(Object.entries(given)), master };
        const said = published(given as Record<string, typeof GRANT>, master);
        const decoded = decodeAsPublished('GetCapacityResponse', encodeCapacityAnswer(message));
        expect(JSON.parse(JSON.stringify(decoded))).toEqual(said);
        expect(decodeCapacityAnswer(encodeAsPublished('GetCapacityResponse', said))).toEqual(message);
      }),
    );
  });

  it.each([undefined, '', 'grpc://a:1'])('that something was given back, master at %s', (master) => {
    const said = { mastership: master === undefined ? null : { masterAddress: master } };
    expect(decodeAsPublished('ReleaseCapacityResponse', encodeReleaseAnswer(master))).toEqual(said);
    expect(decodeReleaseAnswer(encodeAsPublished('ReleaseCapacityResponse', said))).toBe(master);
  });

  it('say who is master', () => {
    const [is, is_not] = [true, false].map((isMaster) => encodeDiscovery({ isMaster, master: 'grpc://a:1' }));
    const mastership = { masterAddress: 'grpc://a:1' };
    expect(decodeAsPublished('DiscoveryResponse', is!)).toEqual({ isMaster: true, mastership });
    expect(decodeAsPublished('DiscoveryResponse', is_not!)).toEqual({ isMaster: false, mastership });
  });

  it('leave out what cannot be a grant', () => {
    const lease = { capacity: 1, validMs: 1, refreshMs: 1 };
    const resources = [
      { resource: 'none' },
      { resource: 'negative', lease: { ...lease, capacity: -1 } },
      { resource: 'endless', lease: { ...lease, validMs: 1e12 } },
      { resource: 'infinite', lease, safeCapacity: Number.POSITIVE_INFINITY },
      { resource: 'no number', lease, inherited: Number.NaN },
      { resource: 'fine', lease },
    ];
    const bytes = encodeAsPublished('GetCapacityResponse', { resources });
    expect([...decodeCapacityAnswer(bytes).grants.keys()]).toEqual(['fine']);
  });

  it('are bounded', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => [`resource-${i}`, GRANT] as const);
    const bytes = encodeCapacityAnswer({ grants: new Map(many), master: undefined });
    expect(() => decodeCapacityAnswer(bytes)).toThrow(RangeError);
    expect(() => decodeReleaseAnswer(bytes)).toThrow(RangeError);
  });

  it('are read or refused, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.constantFrom<(bytes: Uint8Array) => unknown>(decodeCapacityAnswer, decodeReleaseAnswer),
        (bytes, read) => {
          try {
            read(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
