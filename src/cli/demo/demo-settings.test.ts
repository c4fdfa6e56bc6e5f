import { describe, expect, it } from 'vitest';
import { parseQuotaFile } from '../../quota/index.js';
import { type DemoSettings, gatewaySettingsOf, quotaFileText, quotaNote } from './demo-settings.js';

const GIVEN: DemoSettings = {
  backends: [1, 2, 3, 4, 5, 6].map((number) => `http://127.0.0.1:${5_000 + number}`),
  policy: 'weighted',
  subset: 6,
  isGuarded: true,
  capacityPerSecond: 150,
  adminPort: 0,
  token: 'a-token-of-some-length',
  quotaFile: 'quota.yaml',
  redis: undefined,
};

const fleetOf = (given: Partial<DemoSettings>) =>
  gatewaySettingsOf({ ...GIVEN, ...given }).services['fleet']!;

describe('the settings of the demo', () => {
  it('balance as they are told to', () => {
    expect(fleetOf({})).toMatchObject({ policy: 'weighted', subset: 'all', activeLimit: 100 });
    expect(fleetOf({ policy: 'prequal', subset: 3 })).toMatchObject({
      policy: 'prequal',
      subset: { size: 3, clientId: 0 },
    });
  });

  it('withhold nothing without a guard', () => {
    expect(fleetOf({ isGuarded: true }).throttle).toMatchObject({ recovery: 'streak' });
    expect(fleetOf({ isGuarded: false })).toMatchObject({ throttle: false, activeLimit: 10_000 });
    const timeoutOf = (isGuarded: boolean) => gatewaySettingsOf({ ...GIVEN, isGuarded }).routes[0]!.timeout;
    expect([timeoutOf(true), timeoutOf(false)]).toEqual(['1000ms', '10000ms']);
  });

  it('limit exports by what the fleet can serve', () => {
    const rateOf = (capacityPerSecond: number | undefined) =>
      gatewaySettingsOf({ ...GIVEN, capacityPerSecond }).limits['exports']!.rate;
    expect([rateOf(150), rateOf(1), rateOf(undefined)]).toEqual(['12/s', '2/s', '800/s']);
  });

  it('count in Redis when there is one', () => {
    expect(gatewaySettingsOf(GIVEN).redis).toBe(undefined);
    expect(gatewaySettingsOf({ ...GIVEN, redis: 'redis://127.0.0.1:1' }).redis).toMatchObject({
      url: 'redis://127.0.0.1:1',
    });
  });
});

describe('quotas', () => {
  it('are shares of what the fleet can serve, and none before that is known', () => {
    const perSecond = (capacity: number | undefined) =>
      parseQuotaFile(quotaFileText(capacity), 'quota.yaml').limits.customers!.map((each) => each.perSecond);
    expect(perSecond(200)).toEqual([180, 40, 180]);
    expect(perSecond(undefined)).toEqual([Infinity, Infinity, Infinity]);
  });

  it('are told in a sentence', () => {
    expect(quotaNote(200)).toContain('A 180, B 40, C 180');
  });
});
