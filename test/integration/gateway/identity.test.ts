import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkFiles, createGateway, parseGatewaySettings } from '../../../src/gateway/index.js';
import { CERTIFICATE, KEY } from '../client/certificate.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-identity-'));
const hashed = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
let backend: EchoBackend;
let running: RunningGateway | undefined;

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await backend.stop();
});

async function start(settings: string): Promise<RunningGateway> {
  running = await RunningGateway.start(settings.replaceAll('BACKEND', backend.url), { directory: folder });
  return running;
}

const ROUTES = `
routes:
  - { path: /known, to: BACKEND, identity: required }
  - { to: BACKEND }
`;

describe('who asks', () => {
  it('is told of whoever asks for another protocol, too', async () => {
    const gateway = await start(`identity: { apiKeys: { keys: { "${hashed('first')}": acme } } }${ROUTES}`);
    const upgrade = async (key: string) => {
      const headers = { 'x-api-key': key, connection: 'Upgrade', upgrade: 'talk' };
      return (await gateway.ask('/', { headers })).json().headers['x-plimsoll-customer'];
    };
    expect([await upgrade('first'), await upgrade('another')]).toEqual(['acme', 'anonymous']);
  });

  it('holds bounds of a key, and believes trusted callers, whatever is asked for', async () => {
    writeFileSync(join(folder, 'free.yaml'), 'unit: requests\neveryoneElse: { requests: 1000 }\n');
    const gateway = await start(`
quota: { file: free.yaml }
trustedCallers: [127.0.0.0/8]
identity: { apiKeys: { keys: { "${hashed('low')}": { customer: low, criticality: SHEDDABLE } } } }
routes:
  - { path: /known, to: BACKEND, identity: required }
  - { path: /free, to: BACKEND, quota: false }
  - { to: BACKEND }
`);
    const upgrade = { connection: 'Upgrade', upgrade: 'talk' };
    const told = async (path: string, headers: Record<string, string>) => {
      const seen = (await gateway.ask(path, { headers })).json().headers;
      return [seen['x-plimsoll-customer'], seen['x-request-criticality']];
    };
    for (const further of [{}, upgrade]) {
      expect(await told('/', { 'x-api-key': 'low', ...further })).toEqual(['low', 'SHEDDABLE']);
      for (const path of ['/', '/known', '/free'])
        expect(await told(path, { 'x-plimsoll-customer': 'acme', ...further })).toEqual(['acme', 'CRITICAL']);
    }
  });

  it('is not known by the name of those whom nobody knows', async () => {
    writeFileSync(join(folder, 'free.yaml'), 'unit: requests\neveryoneElse: { requests: 1000 }\n');
    const routes = `
routes:
  - { path: /free, to: BACKEND, identity: required, quota: false }
  - { to: BACKEND, identity: required }
`;
    const ways = {
      'x-plimsoll-customer': `trustedCallers: [127.0.0.0/8]\nidentity: { apiKeys: { keys: { "${hashed('first')}": first } } }`,
      'x-user': 'identity: { header: { name: x-user, from: [127.0.0.0/8] } }',
    };
    const upgrade = { connection: 'Upgrade', upgrade: 'talk' };
    for (const [header, way] of Object.entries(ways)) {
      const gateway = await start(`quota: { file: free.yaml }\n${way}${routes}`);
      const statusOf = async (path: string, headers: Record<string, string>) =>
        (await gateway.ask(path, { headers })).status;
      for (const further of [{}, upgrade]) {
        for (const path of ['/', '/free']) {
          expect(await statusOf(path, { [header]: 'anonymous', ...further })).toBe(401);
          expect(await statusOf(path, { [header]: 'acme', ...further })).toBe(200);
        }
      }
      await gateway.stop();
    }
  });

  it('is known by an API key', async () => {
    writeFileSync(
      join(folder, 'keys.yaml'),
      `${hashed('second')}: { customer: crawler, criticality: SHEDDABLE }`,
    );
    const settings = `identity: { apiKeys: { keys: { "${hashed('first')}": acme }, file: keys.yaml } }${ROUTES}`;
    const gateway = await start(settings);
    const ask = async (key: string, path = '/known') =>
      await gateway.ask(path, { headers: { 'x-api-key': key } });
    expect((await ask('first')).json().headers).toMatchObject({
      'x-plimsoll-customer': 'acme',
      'x-request-criticality': 'CRITICAL',
    });
    expect((await ask('second')).json().headers).toMatchObject({
      'x-plimsoll-customer': 'crawler',
      'x-request-criticality': 'SHEDDABLE',
    });
    expect(await ask('third')).toMatchObject({ status: 401, headers: { 'www-authenticate': 'ApiKey' } });
    expect((await ask('third', '/')).json().headers['x-plimsoll-customer']).toBe('anonymous');
    writeFileSync(join(folder, 'keys.yaml'), `${hashed('third')}: third`);
    await gateway.reload(settings.replaceAll('BACKEND', backend.url));
    expect((await ask('third')).status).toBe(200);
    expect((await ask('second')).status).toBe(401);
    expect(gateway.gateway.snapshot().guard.customers).toHaveProperty('acme');
  });

  it('is known by a token, verified once let in, and before that the next time', async () => {
    const secret = randomBytes(24).toString('hex');
    const gateway = await start(`
identity: { jwt: { secret: ${secret}, audience: us, claim: org } }
limits: { each: { rate: 100/h, key: customer } }
${ROUTES.replace('identity: required', 'identity: required, limits: [each]')}`);
    const sign = (claims: object, key = secret) =>
      new SignJWT({ org: 'acme', aud: 'us', ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(key));
    const ask = async (token: string) =>
      gateway.ask('/known', { headers: { authorization: `Bearer ${token}` } });
    const token = await sign({});
    for (let i = 0; i < 2; i++) expect((await ask(token)).json().headers['x-plimsoll-customer']).toBe('acme');
    const { customers } = gateway.gateway.snapshot().guard;
    expect(Object.keys(customers).sort()).toEqual(['acme', 'anonymous']);
    expect(await ask(await sign({ aud: 'them' }))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    });
    expect((await ask(await sign({}, `${secret}x`))).status).toBe(401);
    expect((await ask(await sign({ exp: 1 }))).status).toBe(401);
    expect((await gateway.ask('/known')).status).toBe(401);
  });

  it('is asked again, and not refused, while the keys of tokens cannot be had', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    let isDown = true;
    const issuer = await EchoBackend.start('issuer');
    const jwk = { ...pair.publicKey.export({ format: 'jwk' }), alg: 'ES256' };
    issuer.handler = (_, res) => res.writeHead(isDown ? 500 : 200).end(JSON.stringify({ keys: [jwk] }));
    try {
      const gateway = await start(`identity: { jwt: { jwksUrl: "${issuer.url}/keys" } }${ROUTES}`);
      const token = await new SignJWT({ sub: 'ann' })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(pair.privateKey);
      const known = { headers: { authorization: `Bearer ${token}` } };
      for (let i = 0; i < 3; i++)
        expect(await gateway.ask('/known', known)).toMatchObject({
          status: 503,
          headers: { 'retry-after': '1' },
        });
      expect((await gateway.ask('/known')).status).toBe(401);
      expect((await gateway.ask('/', known)).json().headers['x-plimsoll-customer']).toBe('anonymous');
      expect(gateway.errors.map(String)).toEqual([expect.stringContaining('/keys": status 500')]);
      expect(gateway.gateway.snapshot()).toMatchObject({
        routes: { '/known': { unknown: 1, unverified: 3 } },
        recent: expect.arrayContaining([expect.objectContaining({ reason: 'unverified' })]),
      });
      isDown = false;
      await vi.waitFor(async () => expect((await gateway.ask('/known', known)).status).toBe(200), 5_000);
    } finally {
      await issuer.stop();
    }
  });

  it('is known by a token whose key is in a file, which is read again', async () => {
    const pairs = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    const write = (text: string | Buffer) => writeFileSync(join(folder, 'jwt.pub'), text);
    const pem = (at: number) => pairs[at]!.publicKey.export({ type: 'spki', format: 'pem' });
    const settings = `identity: { jwt: { publicKey: jwt.pub } }${ROUTES}`.replaceAll('BACKEND', backend.url);
    write(pem(0));
    const gateway = await start(settings);
    const statuses = () =>
      Promise.all(
        pairs.map(async ({ privateKey }) => {
          const token = await new SignJWT({ sub: 'ann' })
            .setProtectedHeader({ alg: 'ES256' })
            .sign(privateKey);
          return (await gateway.ask('/known', { headers: { authorization: `Bearer ${token}` } })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 401]);
    write(pem(1));
    await gateway.reload(settings);
    expect(await statuses()).toEqual([401, 200]);
    write('no key');
    const wrong = /:\d+: identity\.jwt\.publicKey: jwt\.pub: jwt\.publicKey must be a public key/;
    await expect(gateway.reload(settings)).rejects.toThrow(wrong);
    const parsed = parseGatewaySettings(`listen: 1\n${settings}`, 'x', {});
    await expect(checkFiles(parsed, folder)).rejects.toThrow(wrong);
    expect(await statuses()).toEqual([401, 200]);
  });

  it('is what a listed proxy says, and nobody else; backends do not get that header', async () => {
    const settings = (network: string) =>
      `identity: { header: { name: X-Customer, from: [${network}] } }${ROUTES}`;
    const listed = await start(settings('127.0.0.0/8'));
    const { headers } = (await listed.ask('/known', { headers: { 'x-customer': 'acme' } })).json();
    expect(headers['x-plimsoll-customer']).toBe('acme');
    expect(headers).not.toHaveProperty('x-customer');
    await listed.reload(settings('10.0.0.0/8').replaceAll('BACKEND', backend.url));
    expect((await listed.ask('/known', { headers: { 'x-customer': 'acme' } })).status).toBe(401);
    const stranger = (await listed.ask('/', { headers: { 'x-customer': 'acme' } })).json();
    expect(stranger.headers).not.toHaveProperty('x-customer');
  });

  it('is known by a certificate', async () => {
    writeFileSync(join(folder, 'cert.pem'), CERTIFICATE);
    writeFileSync(join(folder, 'key.pem'), KEY);
    const settings = `
listen: { address: "127.0.0.1:0", tls: { cert: cert.pem, key: key.pem, clientCa: cert.pem } }
identity: { mtls: { customers: { "DNS:orders.test": orders } } }${ROUTES}`.replaceAll('BACKEND', backend.url);
    const gateway = await createGateway(parseGatewaySettings(settings, 'x', {}), { directory: folder });
    try {
      const [at] = await gateway.listen();
      expect(at?.protocol).toBe('https');
      const ask = (own: object) =>
        new Promise<{ status: number; text: string }>((resolve, reject) => {
          const options = {
            port: at!.port,
            host: '127.0.0.1',
            path: '/known',
            ca: CERTIFICATE,
            servername: 'orders.test',
            agent: false,
          };
          const asked = request({ ...options, ...own }, (answer) => {
            let text = '';
            answer.on('data', (chunk) => {
              text += String(chunk);
            });
            answer.on('end', () => resolve({ status: answer.statusCode!, text }));
          });
          asked.on('error', reject).end();
        });
      const known = await ask({ cert: CERTIFICATE, key: KEY });
      expect(known.status).toBe(200);
      expect(JSON.parse(known.text).headers).toMatchObject({
        'x-plimsoll-customer': 'orders',
        'x-forwarded-proto': 'https',
      });
      // Before it was let in: quotas and criticality go by it.
      expect(Object.keys(gateway.snapshot().guard.customers)).toEqual(['orders']);
      expect((await ask({})).status).toBe(401);
    } finally {
      await gateway.close({ timeoutMs: 500, spreadMs: 0 });
    }
  });

  it('has a quota, but on routes without', async () => {
    writeFileSync(
      join(folder, 'quotas.yaml'),
      'unit: requests\ncustomers: { acme: { requests: 1000 } }\neveryoneElse: { requests: 1 }\n',
    );
    const gateway = await start(`
quota: { file: quotas.yaml }
identity: { apiKeys: { keys: { "${hashed('first')}": acme } } }
routes:
  - { path: /free, to: BACKEND, quota: false }
  - { to: BACKEND }
`);
    // A second has room for one: however slow the machine, a thousand in turn are more than that.
    const statuses = async (path: string, headers = {}, most = 60) => {
      const seen = new Set<number>();
      for (let i = 0; i < most && seen.size < 2; i++) seen.add((await gateway.ask(path, { headers })).status);
      return seen;
    };
    expect(await statuses('/', { 'x-api-key': 'first' })).toEqual(new Set([200]));
    expect(await statuses('/free')).toEqual(new Set([200]));
    expect(await statuses('/', {}, 1_000)).toEqual(new Set([200, 429]));
    expect(await statuses('/free')).toEqual(new Set([200]));
    expect((await gateway.ask('/free')).json().headers['x-plimsoll-customer']).toBe('anonymous');
  });
});
