import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimits, type JwtOptions, type RateLimits } from '../../../src/rate-limit/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { LIMITED_APPS } from './limited-apps.js';

expectNoMishaps();

const servers: Server[] = [];
const opened: RateLimits[] = [];

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((limits) => limits.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function onePerUser(jwt: JwtOptions): RateLimits {
  const limits = createRateLimits({
    jwt,
    rules: [{ name: 'user', key: 'jwt:sub', algorithm: 'gcra', limit: 1, window: 'h' }],
  });
  opened.push(limits);
  return limits;
}

const pairOf = (kid: string) => ({ kid, ...generateKeyPairSync('rsa', { modulusLength: 2_048 }) });
type Pair = ReturnType<typeof pairOf>;
const [old, young] = [pairOf('old'), pairOf('young')];

function sign(sub: string, { kid, privateKey }: Pair): Promise<string> {
  return new SignJWT({ sub })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setExpirationTime('1h')
    .sign(privateKey);
}

const jwks = (...pairs: Pair[]) =>
  JSON.stringify({
    keys: pairs.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256' })),
  });

describe.each(Object.entries(LIMITED_APPS))('claims as keys in %s', (_, makeApp) => {
  test('each user has a limit, and all without a good token share one', async () => {
    const seen = { requests: 0 };
    const url = await listen(await makeApp(onePerUser({ publicKey: old.publicKey }), seen));
    const get = async (token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(url, { headers })).status;
    };
    const [ann, bob] = await Promise.all([sign('ann', old), sign('bob', old)]);
    expect(await Promise.all([get(ann), get(ann), get(ann)].map(async (each) => each))).toEqual(
      expect.arrayContaining([200, 429, 429]),
    );
    expect([await get(bob), await get(ann)]).toEqual([200, 429]);
    const forged = await sign('eve', young);
    expect([await get(), await get(forged), await get('nonsense')]).toEqual([200, 429, 429]);
    expect(seen.requests).toBe(3);
  });
});

describe('keys of an issuer', () => {
  let asked: number;
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  let jwksUrl: string;

  beforeEach(async () => {
    asked = 0;
    answer = (_req, res) => res.end(jwks(old));
    const issuer = createServer((req, res) => {
      asked++;
      answer(req, res);
    });
    jwksUrl = await listen(issuer);
  });

  const keyOf = (limits: RateLimits, token: string) => limits.keyOf('user', { header: () => token });

  test('are fetched once', async () => {
    const limits = onePerUser({ jwksUrl });
    const tokens = await Promise.all(['ann', 'bob', 'cat'].map((sub) => sign(sub, old)));
    expect(await Promise.all(tokens.map((token) => keyOf(limits, token)))).toEqual(['ann', 'bob', 'cat']);
    expect(await keyOf(limits, await sign('ann', young))).toBe('-');
    expect(asked).toBe(1);
  });

  test('that do not come make nobody wait for long', async () => {
    let release: (() => void) | undefined;
    answer = (_req, res) => {
      release = () => res.end(jwks(old));
    };
    const limits = onePerUser({ jwksUrl, timeoutMs: 30 });
    const token = await sign('ann', old);
    const startedMs = performance.now();
    expect(await Promise.all([keyOf(limits, token), keyOf(limits, token)])).toEqual(['-', '-']);
    expect(performance.now() - startedMs).toBeLessThan(1_500);
    // They come after all: from then on it is known whose the token is.
    release!();
    await expect.poll(() => keyOf(limits, token)).toBe('ann');
    expect(asked).toBe(1);
  });

  test.each([
    ['an error', (res: ServerResponse) => res.writeHead(500).end()],
    ['a lost connection', (res: ServerResponse) => res.destroy()],
    ['nonsense', (res: ServerResponse) => res.end('<html>')],
    ['no keys', (res: ServerResponse) => res.end('{"keys":[{"kty":"oct","k":"AAAA"}]}')],
  ])('that are %s are the same as none, and the issuer is not asked with each request', async (_, bad) => {
    answer = (_req, res) => bad(res);
    const limits = onePerUser({ jwksUrl });
    for (let i = 0; i < 5; i++) expect(await keyOf(limits, await sign(`user ${i}`, old))).toBe('-');
    expect(asked).toBe(1);
    expect((await limits.decide({ method: 'GET', url: '/', address: '', header: () => '' })).allowed).toBe(
      true,
    );
  });

  test('are not waited for any more when the rules are closed', async () => {
    answer = () => {};
    const limits = onePerUser({ jwksUrl, timeoutMs: 60_000 });
    const waiting = keyOf(limits, await sign('ann', old));
    await expect.poll(() => asked).toBe(1);
    const closedMs = performance.now();
    await limits.close();
    expect(await waiting).toBe('-');
    // Fetching itself would be given up after two seconds.
    expect(performance.now() - closedMs).toBeLessThan(1_500);
  });

  test('never make a secret of what is public', async () => {
    answer = (_req, res) => res.end(jwks(old, young));
    const limits = onePerUser({ jwksUrl });
    const pem = old.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const forged = new SignJWT({ sub: 'ann' }).setProtectedHeader({ alg: 'HS256', kid: 'old' });
    expect(await keyOf(limits, await forged.sign(Buffer.from(pem)))).toBe('-');
    expect(await keyOf(limits, await sign('ann', young))).toBe('ann');
  });
});
