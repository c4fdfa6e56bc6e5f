import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkJwtOptions, type JwtOptions } from './jwt-options.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;
const edwards = generateKeyPairSync('ed25519').publicKey;
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
const jwk = ec('P-256').export({ format: 'jwk' });
const secret = randomBytes(32);

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const algorithmsOf = (options: JwtOptions) => checkJwtOptions(options).algorithms;

describe('checkJwtOptions', () => {
  it('derives from the key what a token may be signed by', () => {
    for (const each of [secret, secret.toString('hex'), createSecretKey(secret)])
      expect(algorithmsOf({ secret: each })).toEqual(['HS256', 'HS384', 'HS512']);
    for (const each of [pem, rsa.publicKey, rsa.privateKey, rsa.publicKey.export({ format: 'jwk' })])
      expect(algorithmsOf({ publicKey: each as string })).toEqual(RSA);
    expect(algorithmsOf({ publicKey: ec('P-256') })).toEqual(['ES256']);
    expect(algorithmsOf({ publicKey: ec('P-384') })).toEqual(['ES384']);
    expect(algorithmsOf({ publicKey: ec('P-521') })).toEqual(['ES512']);
    expect(algorithmsOf({ publicKey: edwards })).toEqual(['EdDSA', 'Ed25519']);
    const remote = algorithmsOf({ jwksUrl: 'https://issuer.example/keys' });
    expect(remote).toEqual(expect.arrayContaining(['RS256', 'PS256', 'ES256', 'EdDSA']));
    expect(remote.filter((name) => name.startsWith('HS') || name === 'none')).toEqual([]);
  });

  it('never keeps a private key', () => {
    expect(checkJwtOptions({ publicKey: rsa.privateKey }).key).toMatchObject({ type: 'public' });
  });

  it('takes fewer algorithms, and those that a JWK names', () => {
    expect(algorithmsOf({ publicKey: pem, algorithms: ['PS256'] })).toEqual(['PS256']);
    const named = { ...rsa.publicKey.export({ format: 'jwk' }), alg: 'RS256' };
    expect(algorithmsOf({ publicKey: named })).toEqual(['RS256']);
  });

  it('knows where tokens are and whom they are for', () => {
    const options = { secret, issuer: 'a', audience: ['b', 'c'], header: 'X-Token', timeoutMs: 5 };
    expect(checkJwtOptions(options)).toMatchObject({
      issuer: ['a'],
      audience: ['b', 'c'],
      header: 'x-token',
      timeoutMs: 5,
    });
    const { issuer, audience, header } = checkJwtOptions({ secret });
    expect([issuer, audience, header]).toEqual([undefined, undefined, 'authorization']);
  });

  it.each([
    [{}, 'one of jwt.secret, jwt.publicKey and jwt.jwksUrl must be given, got none'],
    [{ secret, jwksUrl: 'https://a' }, 'must be given, got secret and jwksUrl'],
    [{ secret: 'short' }, 'jwt.secret must be a secret of at least 32 bytes, got 5 bytes'],
    [{ secret: 5 }, 'jwt.secret must be a secret of at least 32 bytes, got number'],
    [{ secret: pem }, 'jwt.secret must be a secret, got a key as PEM, JWK or DER: give it as publicKey'],
    [{ secret: `\n  ${pem}` }, 'jwt.secret must be a secret, got a key'],
    [{ secret: Buffer.from(pem) }, 'jwt.secret must be a secret, got a key'],
    [{ secret: createSecretKey(Buffer.from(pem)) }, 'jwt.secret must be a secret, got a key'],
    [{ secret: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) }, 'must be a secret, got a key'],
    [{ secret: JSON.stringify(jwk) }, 'jwt.secret must be a secret, got a key'],
    [{ secret: der }, 'jwt.secret must be a secret, got a key'],
    [{ secret: der.toString('base64') }, 'jwt.secret must be a secret, got a key'],
    [{ secret: rsa.publicKey.export({ type: 'pkcs1', format: 'der' }) }, 'must be a secret, got a key'],
    [{ secret: `ssh-rsa ${'A'.repeat(40)}` }, 'jwt.secret must be a secret, got a key'],
    [{ jwksUrl: 'ftp://u:s3cret@h' }, 'jwt.jwksUrl must be a URL of https or http, got "…@h"'],
    [{ secret: rsa.publicKey }, 'jwt.secret must be a secret of at least 32 bytes, got object'],
    [{ secret, algorithms: ['none'] }, 'jwt.algorithms must be some of HS256, HS384, HS512 with this key'],
    [{ publicKey: pem, algorithms: ['HS256'] }, 'jwt.algorithms must be some of RS256'],
    [{ publicKey: pem, algorithms: [] }, 'jwt.algorithms must be some of RS256'],
    [{ jwksUrl: 'https://a', algorithms: ['RS256', 'HS256'] }, 'jwt.algorithms must be some of RS256'],
    [{ publicKey: 'no key' }, 'jwt.publicKey must be a public key as PEM, JWK or KeyObject'],
    [{ publicKey: createSecretKey(secret) }, 'jwt.publicKey must be a public key as PEM, JWK or KeyObject'],
    [{ publicKey: { kty: 'oct', k: 'AAAA' } }, 'jwt.publicKey must be a public key as PEM, JWK or KeyObject'],
    [{ publicKey: null }, 'jwt.publicKey must be a public key'],
    [{ publicKey: weak }, 'got rsa of 1024 bits'],
    [{ publicKey: ec('secp256k1') }, 'jwt.publicKey must be a key for one of RS256'],
    [{ publicKey: generateKeyPairSync('x25519').publicKey }, 'got x25519'],
    [{ publicKey: { ...jwk, alg: 'HS256' } }, 'got ec for HS256'],
    [{ jwksUrl: 'file:///keys' }, 'jwt.jwksUrl must be a URL of https or http, got "file:///keys"'],
    [{ jwksUrl: 'issuer' }, 'jwt.jwksUrl must be a URL'],
    [{ secret, issuer: [] }, 'jwt.issuer must be a text or several'],
    [{ secret, audience: 5 }, 'jwt.audience must be a text or several'],
    [{ secret, header: 'a b' }, 'jwt.header must be the name of a header'],
    [{ secret, timeoutMs: 0 }, 'jwt.timeoutMs must be a finite number > 0, got 0'],
    [{ key: secret }, 'jwt has no option "key"'],
  ])('refuses %#', (options, message) => {
    expect(() => checkJwtOptions(options as JwtOptions)).toThrow(RangeError);
    expect(() => checkJwtOptions(options as JwtOptions)).toThrow(message);
  });
});
