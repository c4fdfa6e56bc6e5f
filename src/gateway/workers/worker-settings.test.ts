import { describe, expect, it } from 'vitest';
import { parseGatewaySettings } from '../settings/index.js';
import { settingsForWorker } from './worker-settings.js';

const SETTINGS = parseGatewaySettings(
  `
listen: 8080
workers: 3
overload: { concurrency: 100, maxConnections: 1000 }
queue: { concurrency: 10 }
services:
  api:
    backends: [{ url: http://10.0.0.1, zone: a }]
    subset: { size: 5, algorithm: deterministic, clientId: 2 }
    localities: { own: a, capacityShare: 0.5 }
  plain: { backends: [http://10.0.0.2], retry: { budget: 0.2 }, activeLimit: 50 }
limits:
  five: { rate: 5/min }
routes:
  - { path: /batch, to: api, batch: { mostPerSecond: 2, maxUnderWay: 64, maxWaiting: 100 } }
  - { to: plain, limits: [five] }
`,
  'x.yaml',
  {},
);

describe('settings for one of three workers', () => {
  const own = settingsForWorker(SETTINGS, { slot: 1, workers: 3 });

  it('are a third of what is said of all of them', () => {
    expect(own.overload).toEqual({ ...SETTINGS.overload, concurrency: 34, maxConnections: 334 });
    expect(own.queue).toEqual({ ...SETTINGS.queue, concurrency: 4 });
    expect(own.routes[0]!.batch).toMatchObject({ mostPerSecond: 2 / 3, maxUnderWay: 22, maxWaiting: 34 });
    expect(own.services['api']!.localities!.capacityShare).toBeCloseTo(0.5 / 3);
  });

  it('say which client it is, among all', () => {
    const ids = [0, 1, 2].map(
      (slot) => settingsForWorker(SETTINGS, { slot, workers: 3 }).services['api']!.subset,
    );
    expect(ids.map((subset) => (subset as { clientId: number }).clientId)).toEqual([6, 7, 8]);
  });

  it('are the same in all else', () => {
    expect(own.limits).toEqual(SETTINGS.limits);
    expect(own.services['plain']).toEqual(SETTINGS.services['plain']);
    expect(own.routes[1]).toBe(SETTINGS.routes[1]);
    expect(own.drain).toEqual(SETTINGS.drain);
  });

  it('are what travels: nothing is lost on the way', () => {
    expect(JSON.parse(JSON.stringify(own))).toEqual(own);
  });
});

it('leaves alone what each finds out by itself', () => {
  const settings = parseGatewaySettings('listen: 1\nroutes: [{ to: "http://a" }]', 'x', {});
  const odd = { ...settings, overload: { ...settings.overload, concurrency: 'adaptive' as never } };
  expect(settingsForWorker(odd, { slot: 0, workers: 4 }).overload.concurrency).toBe('adaptive');
});
