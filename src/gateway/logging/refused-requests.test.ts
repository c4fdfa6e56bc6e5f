import { channel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from 'vitest';
import type { Generation } from '../generation.js';
import { RouteTable } from '../routing/index.js';
import { FAKE_ROUTE, FakeLines, fakeRequest } from './fake-request.contract.js';
import { REFUSAL_SUMS_DEFAULTS, RefusalSums } from './refusal-sums.js';
import { followRefusals, type RefusedHead } from './refused-requests.js';

const refused = channel('plimsoll:server:refused');
const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const generation = {
  table: new RouteTable([[{ path: '/users/*' }, FAKE_ROUTE]]),
} as unknown as Generation;

function head(url: string): RefusedHead {
  return { method: 'GET', url, rawHeaders: [], header: () => undefined };
}

function setUp(linesPerWindow = 2) {
  const lines = new FakeLines();
  const sums = new RefusalSums({ ...REFUSAL_SUMS_DEFAULTS, linesPerWindow });
  let last: RefusedHead | undefined = head('/users/1?q=1');
  stops.push(
    followRefusals({
      lines,
      sums,
      onSummed: () => {},
      withQuery: false,
      generation: () => generation,
      lastHead: () => last,
      isOurs: ({ route }) => route !== 'other',
    }),
  );
  const tell = (given: object = {}, isOnlyReported = false) =>
    refused.publish({
      request: {
        criticality: 'SHEDDABLE',
        customer: 'acme',
        arrivedMs: performance.now(),
        connection: { remoteAddress: '10.0.0.9' },
        ...given,
      },
      refusal: { reason: 'utilization', answer: 'task-overloaded' },
      isOnlyReported,
    });
  return { lines, sums, tell, set: (next: RefusedHead | undefined) => (last = next) };
}

describe('followRefusals', () => {
  it('has lines for the first, and sums of the rest by route', () => {
    const { lines, sums, tell, set } = setUp();
    for (let i = 0; i < 3; i++) tell();
    set(head('/else'));
    tell();
    expect(lines.written).toHaveLength(2);
    expect(lines.written[0]).toEqual({
      level: 'warn',
      message: 'refused',
      fields: {
        trace: undefined,
        method: 'GET',
        path: '/users/1',
        status: 503,
        reason: 'utilization',
        route: 'api',
        service: 'users',
        attempts: 0,
        criticality: 'SHEDDABLE',
        customer: 'acme',
        ms: expect.any(Number),
        client: '10.0.0.9',
      },
    });
    expect(sums.take()).toEqual([
      { reason: 'utilization', route: 'api', criticality: 'SHEDDABLE', count: 1 },
      { reason: 'utilization', route: '', criticality: 'SHEDDABLE', count: 1 },
    ]);
  });

  it('looks at the request itself when that has waited, and not at the last that came', () => {
    const { lines, tell, set } = setUp();
    tell({ req: fakeRequest('/waited', ['host', 'h']) });
    set(undefined);
    tell();
    expect(lines.written.map(({ fields }) => fields.path)).toEqual(['/waited', undefined]);
  });

  it('does not end the process over something odd', () => {
    const { lines, tell } = setUp();
    tell({ connection: undefined });
    expect(lines.written).toEqual([]);
  });

  it('leaves out what is only reported, what is not ours, and what is below the level', () => {
    const { lines, sums, tell } = setUp();
    tell({}, true);
    tell({ route: 'other' });
    lines.level = 'error';
    tell();
    expect([lines.written, sums.take()]).toEqual([[], []]);
  });
});
