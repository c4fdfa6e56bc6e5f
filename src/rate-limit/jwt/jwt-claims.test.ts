import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import type { RequestView } from '../rules/request-view.js';
import { JwtClaims, type JwtWorld } from './jwt-claims.js';
import { checkJwtOptions, type JwtOptions } from './jwt-options.js';
import { type Jose, loadJose } from './load-jose.js';
import { KeysUnavailableError } from './remote-keys.js';

const secret = randomBytes(32);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

function sign(claims: object = {}, key: Parameters<SignJWT['sign']>[0] = secret, alg = 'HS256') {
  return new SignJWT({ sub: 'ann', ...claims }).setProtectedHeader({ alg }).sign(key);
}

function request(authorization?: string): RequestView {
  const header = (name: string) => (name === 'authorization' ? authorization : undefined);
  return { method: 'GET', url: '/', address: undefined, header };
}

/** Claims at a virtual time, and how often a signature was checked. */
function claimsOf(options: JwtOptions = { secret }, world: Partial<JwtWorld> = {}) {
  const time = { ms: 1_000_000_000_000 };
  const jwtVerify = vi.fn<Jose['jwtVerify']>();
  const load = async (part: string) => {
    const jose = await loadJose(part);
    jwtVerify.mockImplementation(jose.jwtVerify);
    return { ...jose, jwtVerify };
  };
  const claims = new JwtClaims(checkJwtOptions(options), { wallMs: () => time.ms, load, ...world });
  const sub = claims.reader('sub');
  return { time, claims, sub: (token?: string) => sub(request(token)), checked: jwtVerify };
}

describe('JwtClaims', () => {
  it('reads claims of tokens that are signed with the key', async () => {
    const { sub, claims } = claimsOf();
    const org = claims.reader('org.id');
    const token = await sign({ org: { id: 7 } });
    expect(await sub(`Bearer ${token}`)).toBe('ann');
    expect(await sub(`bearer   ${token}`)).toBe('ann');
    expect(await sub(token)).toBe('ann');
    expect(await org(request(token))).toBe('7');
    expect(await org(request(await sign()))).toBe(undefined);
  });

  it('checks a signature once, and is at once afterwards', async () => {
    const { sub, checked } = claimsOf();
    const token = await sign();
    expect(await Promise.all([sub(token), sub(token), sub(token)])).toEqual(['ann', 'ann', 'ann']);
    expect(checked).toHaveBeenCalledOnce();
    expect(sub(token)).toBe('ann');
    expect(sub(`Bearer ${token}`)).toBe('ann');
    expect(checked).toHaveBeenCalledOnce();
  });

  it('believes a token until it expires, and none for longer than ten minutes without looking', async () => {
    const { sub, checked, time } = claimsOf();
    const short = await sign({ exp: time.ms / 1_000 + 60 });
    const long = await sign({ exp: time.ms / 1_000 + 86_400 });
    await Promise.all([sub(short), sub(long)]);
    time.ms += 64_999;
    expect([sub(short), sub(long)]).toEqual(['ann', 'ann']);
    time.ms += 1;
    expect(await sub(short)).toBe(undefined);
    expect(sub(long)).toBe('ann');
    expect(checked).toHaveBeenCalledTimes(3);
    time.ms += 600_000;
    expect(await sub(long)).toBe('ann');
    expect(checked).toHaveBeenCalledTimes(4);
  });

  it('does not check a bad token again at once, and not never again', async () => {
    const { sub, checked, time } = claimsOf();
    const early = await sign({ nbf: time.ms / 1_000 + 20 });
    expect(await sub(early)).toBe(undefined);
    time.ms += 29_999;
    expect(sub(early)).toBe(undefined);
    expect(checked).toHaveBeenCalledOnce();
    time.ms += 1;
    expect(await sub(early)).toBe('ann');
  });

  it.each([
    ['another key', () => sign({ aud: 'us', iss: 'them' }, randomBytes(32))],
    ['no signature', async () => new UnsecuredJWT({ sub: 'ann' }).encode()],
    ['no signature, but three parts', async () => `${new UnsecuredJWT({ sub: 'ann' }).encode()}AAAA`],
    ['a changed claim', async () => (await sign()).replace(/\..+\./, '.eyJzdWIiOiJib2IifQ.')],
    ['an expired one', () => sign({ aud: 'us', iss: 'them', exp: 999_999_990 })],
    ['another audience', () => sign({ aud: 'others', iss: 'them' })],
    ['another issuer', () => sign({ aud: 'us', iss: 'others' })],
    ['nonsense', async () => 'a.b.c'],
    ['no token', async () => 'Basic YTpi'],
    ['two', async () => `${await sign()}, ${await sign()}`],
    ['far too long', () => sign({ aud: 'us', iss: 'them', x: 'x'.repeat(9_000) })],
  ])('does not believe %s', async (_, make) => {
    const { sub } = claimsOf({ secret, audience: ['us', 'you'], issuer: 'them' });
    expect(await sub(await sign({ aud: 'us', iss: 'them' }))).toBe('ann');
    expect(await sub(await make())).toBe(undefined);
    expect(await sub(undefined)).toBe(undefined);
  });

  it('does not take a public key for a secret', async () => {
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const { sub } = claimsOf({ publicKey: pem });
    expect(await sub(await sign({}, rsa.privateKey, 'RS256'))).toBe('ann');
    expect(await sub(await sign({}, Buffer.from(pem), 'HS256'))).toBe(undefined);
    expect(await sub(await sign({}, Buffer.from(pem.trim()), 'HS256'))).toBe(undefined);
  });

  it('takes only the algorithms that it is told', async () => {
    const { sub } = claimsOf({ publicKey: rsa.publicKey, algorithms: ['PS256'] });
    expect(await sub(await sign({}, rsa.privateKey, 'RS256'))).toBe(undefined);
    expect(await sub(await sign({}, rsa.privateKey, 'PS256'))).toBe('ann');
  });

  it.each(['ES256', 'ES384', 'ES512', 'EdDSA'])('knows %s', async (alg) => {
    const namedCurve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg];
    const pair =
      namedCurve === undefined ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve });
    const { sub } = claimsOf({ publicKey: pair.publicKey });
    expect(await sub(await sign({}, pair.privateKey, alg))).toBe('ann');
  });

  it('remembers so many tokens of either kind, and no more', async () => {
    const { sub, checked } = claimsOf();
    const token = await sign();
    await sub(token);
    const payload = token.split('.')[1]!;
    for (let i = 0; i < 10_500; i += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, j) => sub(`e.${payload}.${i + j}`)));
    }
    const { length } = checked.mock.calls;
    expect(sub(token)).toBe('ann');
    expect(sub(`e.${payload}.10499`)).toBe(undefined);
    expect(checked).toHaveBeenCalledTimes(length);
    await sub(`e.${payload}.0`);
    expect(checked).toHaveBeenCalledTimes(length + 1);
  });

  it('does not hold it against a token that the keys could not be had', async () => {
    const jwk = { ...rsa.publicKey.export({ format: 'jwk' }), alg: 'RS256' };
    const answers = [
      () => Promise.reject(new TypeError('fetch failed')),
      async () => Response.json({ keys: [jwk] }),
    ];
    let now = 0;
    const onError = vi.fn<(error: unknown) => void>();
    const world = { monotonicMs: () => now, fetch: () => answers.shift()!(), onError };
    const { sub, claims } = claimsOf({ jwksUrl: 'https://issuer.example/keys' }, world);
    const strict = claims.reader('sub', true);
    const token = await sign({}, rsa.privateKey, 'RS256');
    expect(await sub(token)).toBe(undefined);
    expect(await sub(token)).toBe(undefined);
    await expect(strict(request(token))).rejects.toBeInstanceOf(KeysUnavailableError);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(KeysUnavailableError));
    now = 1_000;
    expect(await strict(request(token))).toBe('ann');
    expect(await strict(request(`${token}x`))).toBe(undefined);
  });

  it('says what is missing, to each who asks', async () => {
    const error = new Error('jwt:sub needs the package jose: npm install jose');
    const { sub } = claimsOf({ secret }, { load: () => Promise.reject(error) });
    const token = await sign();
    await expect(sub(token)).rejects.toBe(error);
    await expect(sub(token)).rejects.toBe(error);
    expect(await sub('none')).toBe(undefined);
  });
});
