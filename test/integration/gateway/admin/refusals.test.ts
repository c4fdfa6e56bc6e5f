import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GatewaySnapshot } from '../../../../src/gateway/index.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningAdmin } from './running-admin.js';

let backend: EchoBackend;
let admin: RunningAdmin;

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(() => admin.stop());
afterAll(() => backend.stop());

const settings = () => `
routes:
  - { name: limited, path: /limited, to: s, limits: [five, { name: hidden, rate: 1000/min, key: "header:x-session" }] }
  - { name: known, path: /known, to: s, identity: required }
  - { name: gone, path: /gone, to: gone }
limits: { five: { rate: 5/min, key: ip, algorithm: sliding-log } }
identity: { apiKeys: { keys: { "sha256:${'0'.repeat(64)}": acme } } }
services: { s: { backends: ["${backend.url}"] }, gone: { backends: ["http://127.0.0.1:1"] } }
`;

const snapshot = async () => (await admin.ask('/snapshot')).json() as unknown as GatewaySnapshot;

describe('what a gateway has refused', () => {
  it('is in the snapshot with its numbers, and without secrets', async () => {
    admin = await RunningAdmin.start(settings());
    const { running } = admin;
    for (let i = 0; i < 7; i++) await running.ask('/limited', { headers: { 'x-session': 's3cret' } });
    await running.ask('/known');
    await running.ask('/nowhere');
    await running.ask('/gone');
    const { recent, routes } = await snapshot();
    const of = (reason: string) => recent.find((each) => each.reason === reason);
    expect(of('limited')).toMatchObject({
      route: 'limited',
      service: 's',
      customer: 'anonymous',
      criticality: 'CRITICAL',
      limit: 'five',
      key: '127.0.0.1',
    });
    expect(of('limited')!.retryAfterMs).toBeGreaterThan(0);
    expect(of('unknown')).toMatchObject({ route: 'known', criticality: 'CRITICAL' });
    expect(of('no-route')).toMatchObject({ criticality: 'CRITICAL' });
    expect(of('PLIMSOLL_NO_BACKEND')).toMatchObject({ route: 'gone', service: 'gone' });
    expect(recent.map(({ atMs }) => atMs)).toEqual(recent.map(({ atMs }) => atMs).sort((a, b) => b - a));
    const { five, hidden } = routes['limited']!.limits;
    expect(five!.busiest).toEqual([{ key: '127.0.0.1', hits: 7, refused: 2 }]);
    expect(hidden!.busiest).toEqual([{ key: expect.stringMatching(/^#[\w-]{22}$/), hits: 7, refused: 0 }]);
    expect(JSON.stringify(await snapshot())).not.toContain('s3cret');
  });
});
