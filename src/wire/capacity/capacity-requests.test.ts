import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import { decodeAsPublished, encodeAsPublished, METHODS } from './capacity-proto.contract.js';
import {
  CAPACITY_METHODS,
  capacityMethodPath,
  decodeCapacityRequest,
  decodeReleaseRequest,
  decodeServerCapacityRequest,
  encodeCapacityRequest,
  encodeReleaseRequest,
  encodeServerCapacityRequest,
  isForOneself,
} from './capacity-requests.js';

const name = fc.string({ unit: 'grapheme', maxLength: 40 });
const amount = evenly(0, 1e15);
const turn = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const band = fc.record({
  priority: fc.nat({ max: 9 }),
  wants: amount,
  subclients: fc.integer({ min: 1, max: 1_000_000 }),
});
const own = band.map((each) => [{ ...each, subclients: 1 }]);
const requests = (bands: typeof own) =>
  fc.record({
    client: name,
    life: name,
    resources: fc.array(fc.record({ resource: name, turn, has: amount, bands }), { maxLength: 5 }),
  });

describe('requests for capacity', () => {
  it('are those of the service that is published', () => {
    expect(METHODS.map(({ path }) => path)).toEqual(CAPACITY_METHODS.map(capacityMethodPath));
    expect(METHODS.map(({ messages }) => messages)).toEqual([
      ['GetCapacityRequest', 'GetCapacityResponse'],
      ['GetServerCapacityRequest', 'GetCapacityResponse'],
      ['ReleaseCapacityRequest', 'ReleaseCapacityResponse'],
      ['DiscoveryRequest', 'DiscoveryResponse'],
    ]);
  });

  it('for oneself are written and read as published', () => {
    fc.assert(
      fc.property(requests(own), (request) => {
        const resources = request.resources.map(({ bands: [first], ...rest }) => ({
          ...rest,
          wants: first!.wants,
          priority: first!.priority,
        }));
        const published = { ...request, resources };
        expect(decodeAsPublished('GetCapacityRequest', encodeCapacityRequest(request))).toEqual(published);
        expect(decodeCapacityRequest(encodeAsPublished('GetCapacityRequest', published))).toEqual(request);
      }),
    );
  });

  it('for others are written and read as published', () => {
    fc.assert(
      fc.property(requests(fc.array(band, { maxLength: 10 })), ({ client, ...request }) => {
        const published = { server: client, ...request };
        const bytes = encodeServerCapacityRequest({ client, ...request });
        expect(decodeAsPublished('GetServerCapacityRequest', bytes)).toEqual(published);
        const theirs = encodeAsPublished('GetServerCapacityRequest', published);
        expect(decodeServerCapacityRequest(theirs)).toEqual({ client, ...request });
      }),
    );
  });

  it('that give back are written and read as published', () => {
    fc.assert(
      fc.property(
        fc.record({ client: name, life: name, resources: fc.array(name, { maxLength: 5 }) }),
        (request) => {
          expect(decodeAsPublished('ReleaseCapacityRequest', encodeReleaseRequest(request))).toEqual(request);
          expect(decodeReleaseRequest(encodeAsPublished('ReleaseCapacityRequest', request))).toEqual(request);
        },
      ),
    );
  });

  it('want nothing of what they do not say', () => {
    const [resource] = decodeCapacityRequest(
      encodeAsPublished('GetCapacityRequest', { resources: [{}] }),
    ).resources;
    expect(resource).toEqual({
      resource: '',
      turn: 0,
      has: 0,
      bands: [{ priority: 0, wants: 0, subclients: 1 }],
    });
  });

  it('are for oneself when one wants it alone', () => {
    const one = { priority: 3, wants: 1, subclients: 1 };
    expect(isForOneself({ bands: [one] })).toBe(true);
    expect(isForOneself({ bands: [] })).toBe(false);
    expect(isForOneself({ bands: [{ ...one, subclients: 2 }] })).toBe(false);
    expect(isForOneself({ bands: [one, { ...one, priority: 4 }] })).toBe(false);
  });

  it('are bounded, in bytes and in resources', () => {
    const names = (count: number) => ({ client: 'a', life: 'b', resources: Array(count).fill('gpu') });
    expect(decodeReleaseRequest(encodeReleaseRequest(names(100))).resources).toHaveLength(100);
    expect(() => decodeReleaseRequest(encodeReleaseRequest(names(101)))).toThrow('more than 100 resources');
    const long = { client: 'x'.repeat(65_536), life: '', resources: [] };
    expect(() => decodeReleaseRequest(encodeReleaseRequest(long))).toThrow(RangeError);
    expect(() => decodeCapacityRequest(encodeCapacityRequest(long))).toThrow(RangeError);
  });

  it('are read or refused, whatever comes', () => {
    const readers = [decodeCapacityRequest, decodeServerCapacityRequest, decodeReleaseRequest];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(...readers), (bytes, read) => {
        try {
          read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
