import { describe, expect, it } from 'vitest';
import {
  backendName,
  checkCoordinatorSettings,
  checkQuotaSettings,
  coordinatorOptions,
  QUOTA_SETTINGS,
  type QuotaSettings,
} from './quota-options.js';

const redis = { url: 'redis://127.0.0.1' };
const limits = { everyoneElse: { perSecond: 5 } };
const GIVEN: Partial<QuotaSettings> = { redis, service: 'search', limits };

describe('checkQuotaSettings', () => {
  it('takes what is given, and the defaults', () => {
    const settings = checkQuotaSettings(GIVEN);
    expect(settings).toEqual({ ...QUOTA_SETTINGS, ...GIVEN });
    expect(settings).toMatchObject({ everyMs: 250, unit: 'cpu', enforce: 'always', coordinates: true });
  });

  it('needs no service without Redis', () => {
    expect(checkQuotaSettings({ limits }).service).toBe('');
  });

  it.each([
    [{ service: '' }, 'service must be a name of 1 to 128 letters, digits and ._:@-, got ""'],
    [{ service: 'a{b}' }, 'service must be'],
    [{ service: 'x'.repeat(129) }, 'service must be'],
    [{ unit: 'two words' }, 'unit must be'],
    [{ backend: 'two words' }, 'backend must be'],
    [{ enforce: 'never' }, 'enforce must be one of always, when-overloaded, got "never"'],
    [{ everyMs: 9 }, 'everyMs'],
    [{ everyMs: 1_001 }, 'everyMs'],
    [{ termMs: 99 }, 'termMs'],
    [{ prefix: 'a{b}' }, 'prefix must be a text without braces'],
    [{ coordinator: { forgetMs: 0 } }, 'forgetMs'],
    [{ coordinator: { forgetMS: 5 } }, 'forgetMS'],
    [{ limits: undefined }, 'perSecond'],
    [{ everyms: 100 }, 'everyms'],
    [
      { limits: { ...limits, customers: [{ customer: '株式会社東日本電信電話総合研究所', perSecond: 1 }] } },
      'the name of a customer must have 1 to 128 characters',
    ],
  ])('refuses %j', (wrong, message) => {
    expect(() => checkQuotaSettings({ ...GIVEN, ...(wrong as object) })).toThrow(message);
  });
});

describe('checkCoordinatorSettings', () => {
  it('knows what is a coordinator’s, and nothing else', () => {
    expect(checkCoordinatorSettings({ redis, service: 'search', limits })).toMatchObject({ everyMs: 250 });
    expect(() => checkCoordinatorSettings({ redis, service: '', limits })).toThrow('service');
    const more = { redis, service: 'search', limits, unit: 'cpu' };
    expect(() => checkCoordinatorSettings(more)).toThrow('unit');
  });
});

describe('coordinatorOptions', () => {
  it('go by how often there are reports', () => {
    expect(coordinatorOptions({ everyMs: 250, coordinator: {} })).toEqual({
      everyMs: 250,
      forgetMs: 1_000,
      reactionMs: 700,
    });
    expect(coordinatorOptions({ everyMs: 1_000, coordinator: {} })).toMatchObject({ forgetMs: 4_000 });
    expect(coordinatorOptions({ everyMs: 20, coordinator: {} })).toMatchObject({ forgetMs: 1_000 });
    expect(coordinatorOptions({ everyMs: 250, coordinator: { forgetMs: 7 } })).toMatchObject({ forgetMs: 7 });
  });
});

describe('backendName', () => {
  it('is never the same twice', () => {
    const names = Array.from({ length: 100 }, () => backendName({ backend: 'pod-1' }));
    expect(new Set(names).size).toBe(100);
    expect(names[0]).toMatch(/^pod-1:[0-9a-f]{12}$/);
    expect(backendName({ backend: undefined })).toContain(`:${process.pid}:`);
  });
});
