import type { KeyObject } from 'node:crypto';
import { headerName } from '../rules/request-match.js';
import { isAmong, isSecretHeader } from '../rules/secret-header.js';
import { seal, sealingKey, unseal } from './sealed-text.js';

/** What becomes of headers that carry secrets: they are left out, stored in the clear, or encrypted with 32 bytes. */
export type Secrets = 'drop' | 'keep' | { readonly encryptWith: Uint8Array };

/** Headers as they are stored: flat lists of names in lower case and values. */
export interface StoredHeaders {
  readonly headers: readonly string[];
  /** Those that carry secrets, encrypted. */
  readonly sealed?: string;
}

/**
 * They look like secrets, and let nobody do anything else: which request it is, and that its body is its sender's. Without them
 * webhooks are not believed when their turn comes.
 */
const OF_THE_REQUEST = /signature|^(?:x[-_])?idempotency[-_]key$/;

/** About a connection that will be gone (RFC 9110, 7.6.1), and the length, which the body itself says: never stored. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Which headers of requests and answers are stored, and how. */
export class HeaderKeeper {
  readonly #named: readonly string[];
  readonly #way: 'drop' | 'keep' | KeyObject;

  constructor(secrets: Secrets, moreSecret: readonly string[]) {
    this.#named = moreSecret.map((name) => headerName('secretHeaders', name));
    this.#way = wayOf(secrets);
  }

  /**
   * `place` is where they are stored: what is encrypted can be read at that place only. `moreSecret` are names in lower
   * case of others that carry secrets here.
   */
  store(place: string, flat: readonly string[], moreSecret: readonly string[] = []): StoredHeaders {
    const headers: string[] = [];
    const secret: string[] = [];
    const left = namedByConnection(flat);
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const name = flat[i]!.toLowerCase();
      // HTTP/2 has method, path and host among the headers, where no other version has them (RFC 9113, 8.3).
      if (name.startsWith(':') || OF_THE_CONNECTION.has(name) || left.has(name)) continue;
      (this.#isSecret(name, moreSecret) ? secret : headers).push(name, flat[i + 1]!);
    }
    if (secret.length === 0 || this.#way === 'drop') return { headers };
    if (this.#way === 'keep') return { headers: [...headers, ...secret] };
    return { headers, sealed: seal(this.#way, place, JSON.stringify(secret)) };
  }

  #isSecret(name: string, moreSecret: readonly string[]): boolean {
    if (isAmong(name, this.#named) || isAmong(name, moreSecret)) return true;
    return isSecretHeader(name) && !OF_THE_REQUEST.test(name);
  }

  /** Throws when there are encrypted ones that cannot be read. */
  restore(place: string, { headers, sealed }: StoredHeaders): readonly string[] {
    if (sealed === undefined) return headers;
    if (typeof this.#way === 'string') {
      throw new Error('it has encrypted headers, and no key was given to read them: secrets.encryptWith');
    }
    try {
      return [...headers, ...(JSON.parse(unseal(this.#way, place, sealed)) as string[])];
    } catch (error) {
      throw new Error('its encrypted headers cannot be read with the key that was given', { cause: error });
    }
  }
}

/** Headers that the sender says are for the next hop only. Which host is asked is for all of them. */
function namedByConnection(flat: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    if (flat[i]!.toLowerCase() !== 'connection') continue;
    for (const name of flat[i + 1]!.split(',')) names.add(name.trim().toLowerCase());
  }
  names.delete('host');
  return names;
}

function wayOf(secrets: Secrets): 'drop' | 'keep' | KeyObject {
  if (secrets === 'drop' || secrets === 'keep') return secrets;
  if (typeof secrets === 'object' && secrets !== null) {
    return sealingKey('secrets.encryptWith', secrets.encryptWith);
  }
  throw new RangeError(`secrets must be drop, keep or { encryptWith }, got ${String(secrets)}`);
}
