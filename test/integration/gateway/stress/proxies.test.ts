import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

let backend: EchoBackend;
let gateway: RunningGateway;

beforeAll(async () => {
  backend = await EchoBackend.start();
  return () => backend.stop();
});
afterEach(() => gateway.stop());

async function start(trusted: string): Promise<void> {
  gateway = await RunningGateway.start(`
trustedProxies: ${trusted}
limits: { each: { rate: 1/h, key: ip, algorithm: sliding-log } }
routes: [{ to: "${backend.url}", limits: [each] }]`);
}

const from = (...addresses: string[]) => ({ headers: { 'x-forwarded-for': addresses.join(', ') } });

describe('limits by address', () => {
  it.each(['[127.0.0.0/8]', '1'])(
    'go by what trusted proxies (%s) say, and no further back',
    async (trusted) => {
      await start(trusted);
      const first = await gateway.ask('/', from('198.51.100.1'));
      expect(first.json().headers['x-forwarded-for']).toMatch(/198\.51\.100\.1/);
      expect((await gateway.ask('/', from('198.51.100.2'))).status).toBe(200);
      // Whatever else a client writes before that was not seen by anybody of ours.
      expect((await gateway.ask('/', from('203.0.113.9', '198.51.100.1'))).status).toBe(429);
      expect((await gateway.ask('/', from('198.51.100.2'))).status).toBe(429);
    },
  );

  it.each(['[10.0.0.0/8]', '0'])('do not go by what anybody else (%s) says', async (trusted) => {
    await start(trusted);
    const { headers } = (await gateway.ask('/', from('198.51.100.1'))).json();
    expect(headers['x-forwarded-for']).not.toMatch(/^198/);
    expect((await gateway.ask('/', from('198.51.100.2'))).status).toBe(429);
  });
});
