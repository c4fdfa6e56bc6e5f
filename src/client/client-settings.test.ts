import { describe, expect, it } from 'vitest';
import { Roster } from '../core/index.js';
import { createClient } from './client.js';
import { type ClientOptions, RETRY_DEFAULTS, SUBSET_DEFAULTS } from './client-options.js';
import { checkClientOptions } from './client-settings.js';
import { CONNECTION_DEFAULTS } from './connections/connection-options.js';

const BACKENDS = { backends: ['http://127.0.0.1:1'] };

/** A resolver that finds nobody: nothing is connected to. */
const NOBODY = { name: 'nobody', start() {}, refresh() {}, close() {} };

const POLICY = { newEntry: () => ({}), choose: () => undefined };

describe('checkClientOptions', () => {
  it('has a default for everything', () => {
    expect(checkClientOptions(BACKENDS)).toMatchObject({
      name: 'service',
      host: undefined,
      subset: SUBSET_DEFAULTS,
      retry: RETRY_DEFAULTS,
      connections: CONNECTION_DEFAULTS,
      localities: undefined,
      refusals: 'throw',
      startTimeoutMs: 5_000,
      hop: { criticality: undefined, customer: undefined, timeoutMs: undefined },
    });
  });

  it('takes what is given', () => {
    const settings = checkClientOptions({
      ...BACKENDS,
      name: 'orders',
      host: 'orders.test:8443',
      subset: { size: 5 },
      retry: { maxBodyBytes: 0 },
      refusals: 'answer',
      startTimeoutMs: 1,
      criticality: 'SHEDDABLE',
      customer: 'mail',
      timeoutMs: 50,
    });
    expect(settings).toMatchObject({
      name: 'orders',
      host: 'orders.test:8443',
      subset: { size: 5, seed: 0 },
      retry: { maxAttempts: 3, maxBodyBytes: 0 },
      refusals: 'answer',
      startTimeoutMs: 1,
      hop: { criticality: 'SHEDDABLE', customer: 'mail', timeoutMs: 50 },
    });
  });

  it('can do without subsets and retries', () => {
    expect(checkClientOptions({ ...BACKENDS, subset: false }).subset).toBeUndefined();
    expect(checkClientOptions({ ...BACKENDS, retry: false }).retry.maxAttempts).toBe(1);
  });

  it('makes a picker of a name, of a policy, and of a function, which gets the chance', () => {
    const random = () => 0.5;
    const given: unknown[] = [];
    for (const policy of [
      undefined,
      'round-robin',
      POLICY,
      (chance: unknown) => {
        given.push(chance);
        return POLICY;
      },
    ]) {
      const settings = checkClientOptions({ ...BACKENDS, policy } as ClientOptions);
      expect(() => settings.createPicker(new Roster(), random)).not.toThrow();
    }
    expect(given).toEqual([random]);
  });
});

const CLIENT_MISTAKES: [options: object, field: string, value: string][] = [
  [{ retries: 3 }, 'client has no option', '"retries"'],
  [{ host: 'a b' }, 'host must be', 'got "a b"'],
  [{ subset: { size: 0 } }, 'subset.size must be', 'got 0'],
  [{ subset: { seed: -1 } }, 'subset.seed must be', 'got -1'],
  [{ subset: { count: 3 } }, 'subset has no option', '"count"'],
  [{ subset: 5 }, 'subset must be', 'got 5'],
  [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts must be', 'got 0'],
  [{ retry: { maxBodyBytes: 1.5 } }, 'retry.maxBodyBytes must be', 'got 1.5'],
  [{ retry: { attempts: 3 } }, 'retry has no option', '"attempts"'],
  [{ connections: { perBackend: -1 } }, 'perBackend must be', 'got -1'],
  [{ connections: { backoff: { jitter: 2 } } }, 'jitter must be', 'got 2'],
  [{ criticality: 'HIGH' }, 'criticality must be', 'got "HIGH"'],
  [{ timeoutMs: 0 }, 'timeoutMs must be', 'got 0'],
  [{ refusals: 'ignore' }, 'refusals must be', 'got "ignore"'],
  [{ startTimeoutMs: Number.POSITIVE_INFINITY }, 'startTimeoutMs must be', 'got Infinity'],
  [{ policy: POLICY, localities: { own: 'here' } }, 'policy must be', 'localities'],
  [{ localities: { own: 'a', distances: { b: -1 } } }, 'localities.distances.b must be', 'got -1'],
];

/** Checked by the parts that they are for. */
const PART_MISTAKES: [options: object, field: string, value: string][] = [
  [{ subset: { algorithm: 'fair' }, clientId: 1 }, 'algorithm must be', 'got "fair"'],
  [{ clientId: -1 }, 'clientId must be', 'got -1'],
  [{ policy: 'fastest' }, 'policy', '"fastest"'],
  [{ throttle: { windowMs: 0 } }, 'windowMs must be', 'got 0'],
  [{ retry: { budget: { ratio: -1 } } }, 'ratio must be', 'got -1'],
  [{ roster: { activeLimit: 0 } }, 'activeLimit must be', 'got 0'],
  [{ waiting: { maxWaitMs: -1 } }, 'maxWaitMs must be', 'got -1'],
  [{ health: { activeMs: 0 } }, 'activeMs must be', 'got 0'],
  [{ localities: { own: 'here', capacityShare: 2 } }, 'capacityShare must be', 'got 2'],
];

describe('a wrong option', () => {
  it.each(CLIENT_MISTAKES)('%j is refused by its name', (options, field, value) => {
    const check = () => checkClientOptions({ ...BACKENDS, ...options } as ClientOptions);
    expect(check).toThrow(RangeError);
    expect(check).toThrow(field);
    expect(check).toThrow(value);
  });

  it.each([...CLIENT_MISTAKES, ...PART_MISTAKES])('%j makes no client', (options, field, value) => {
    const create = () => createClient({ backends: NOBODY, ...options } as ClientOptions);
    expect(create).toThrow(RangeError);
    expect(create).toThrow(field);
    expect(create).toThrow(value);
  });
});
