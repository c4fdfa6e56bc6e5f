import { Buffer } from 'node:buffer';
import {
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  KeyObject,
  type PublicKeyInput,
} from 'node:crypto';

/** A key, and the algorithms that it is for: what a token says of its own algorithm is not believed. */
export interface JwtKey {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
}

const HMAC = ['HS256', 'HS384', 'HS512'];
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const EDWARDS = ['EdDSA', 'Ed25519'];
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};

/** Of keys that anybody may know. `none` and HMAC are not among them: with those anybody could sign. */
export const PUBLIC_ALGORITHMS: readonly string[] = [...RSA, ...Object.values(BY_CURVE).flat(), ...EDWARDS];

/** RFC 7518, 3.2: at least as long as the hash. Shorter ones are guessed from a single token. */
const LEAST_SECRET_BYTES = 32;
/** RFC 7518, 3.3. */
const LEAST_RSA_BITS = 2_048;

export function secretKey(field: string, given: unknown): JwtKey {
  const key = secretOf(given);
  if (key?.symmetricKeySize === undefined || key.symmetricKeySize < LEAST_SECRET_BYTES) {
    const got = key === undefined ? typeof given : `${key.symmetricKeySize ?? 0} bytes`;
    throw new RangeError(`${field} must be a secret of at least ${LEAST_SECRET_BYTES} bytes, got ${got}`);
  }
  if (isPublished(key.export())) {
    throw new RangeError(`${field} must be a secret, got a key as PEM, JWK or DER: give it as publicKey`);
  }
  return { key, algorithms: HMAC };
}

/** What looks like the key of a pair: where everybody knows it, everybody could sign. */
function isPublished(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').trim();
  if (/-----BEGIN |^(?:ssh|ecdsa)-[\w-]+ |^\{.*"kty"/s.test(text)) return true;
  return [bytes, Buffer.from(text, 'base64')].some((key) =>
    (['spki', 'pkcs1'] as const).some((type) => isKey({ key, format: 'der', type })),
  );
}

function isKey(input: PublicKeyInput): boolean {
  try {
    createPublicKey(input);
    return true;
  } catch {
    return false;
  }
}

function secretOf(given: unknown): KeyObject | undefined {
  if (given instanceof KeyObject) return given.type === 'secret' ? given : undefined;
  if (typeof given === 'string') return createSecretKey(given, 'utf8');
  return given instanceof Uint8Array ? createSecretKey(given) : undefined;
}

/** A public key as PEM, JWK or KeyObject. Of a private one the public half is used. */
export function publicKey(field: string, given: unknown): JwtKey {
  const key = publicOf(given);
  // Never shown: it may be a private one by mistake.
  if (key === undefined) throw new RangeError(`${field} must be a public key as PEM, JWK or KeyObject`);
  const { alg } = given as { readonly alg?: unknown };
  const algorithms = algorithmsOf(key).filter((name) => alg === undefined || name === alg);
  if (algorithms.length === 0) {
    const size = key.asymmetricKeyDetails?.modulusLength;
    const kind = `${key.asymmetricKeyType}${size === undefined ? '' : ` of ${size} bits`}`;
    throw new RangeError(
      `${field} must be a key for one of ${PUBLIC_ALGORITHMS.join(', ')}, got ${kind}${alg === undefined ? '' : ` for ${String(alg)}`}`,
    );
  }
  return { key, algorithms };
}

function publicOf(given: unknown): KeyObject | undefined {
  try {
    if (given instanceof KeyObject) return given.type === 'public' ? given : createPublicKey(given);
    if (typeof given === 'string') return createPublicKey(given);
    return createPublicKey({ key: given as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): readonly string[] {
  switch (asymmetricKeyType) {
    case 'rsa':
      return (asymmetricKeyDetails.modulusLength ?? 0) >= LEAST_RSA_BITS ? RSA : [];
    case 'ec':
      return BY_CURVE[asymmetricKeyDetails.namedCurve ?? ''] ?? [];
    case 'ed25519':
      return EDWARDS;
    default:
      return [];
  }
}
