import { describe, expect, it } from 'vitest';
import { backendRows, spreadOf } from './backend-rows.js';
import { gatewaySnapshot } from './samples.contract.js';
import type { ServicePart } from './snapshot.js';

const shop = gatewaySnapshot({}).services!['shop']!;

describe('rows of backends', () => {
  it('name them as the demo does, where there is one', () => {
    const fast = { name: 'fast', url: 'http://127.0.0.1:1/', pid: 1, speed: 2, state: 'running' } as const;
    const rows = backendRows(shop, [fast]);
    expect(rows.map(({ name, note }) => [name, note])).toEqual([
      ['fast', '2×'],
      ['127.0.0.1:2', undefined],
    ]);
  });

  it('take shares from the client, or from what backends serve', () => {
    const [first, second] = shop.backends;
    const reporting = {
      ...shop,
      backends: [
        { ...first!, report: { requestsPerSecond: 30 } },
        { ...second!, report: { requestsPerSecond: 10 } },
      ],
    } as ServicePart;
    expect(backendRows(reporting).map(({ share }) => share)).toEqual([0.75, 0.25]);
    const own = { ...reporting, backends: reporting.backends.map((each) => ({ ...each, share: 0.5 })) };
    expect(backendRows(own).map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect(backendRows(shop).map(({ share }) => share)).toEqual([undefined, undefined]);
  });

  it('show the CPU of those that have no idea of their own', () => {
    const plain = {
      ...shop,
      backends: [{ ...shop.backends[0]!, report: { cpuUtilization: 0.3 } }],
    } as ServicePart;
    expect(backendRows(plain)[0]!.utilization).toBe(0.3);
  });
});

describe('spread and waste', () => {
  it('compare the busiest with the ideal case', () => {
    const found = spreadOf(backendRows(shop))!;
    expect(found.maxOverMean).toBeCloseTo(0.8 / 0.6);
    expect(found.minOverMean).toBeCloseTo(0.4 / 0.6);
    expect(found.wasteShare).toBeCloseTo(0.25);
  });

  it('leave out those that take no requests, and say nothing of one alone', () => {
    const rows = backendRows(shop);
    expect(spreadOf([rows[0]!, { ...rows[1]!, state: 'lame-duck' }])).toBeUndefined();
    expect(spreadOf([])).toBeUndefined();
  });
});
