import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isThenable, type MaybePromise } from '../maybe-promise.js';
import type { RequestView } from '../rules/request-view.js';
import { claimIn } from './claim.js';
import type { JwtSettings } from './jwt-options.js';
import { type Jose, type LoadJose, loadJose } from './load-jose.js';
import { type Fetch, KeysUnavailableError, RemoteKeys } from './remote-keys.js';

/** Claims that rules ask for, by path. None: the token is not to be believed. */
type Claims = ReadonlyMap<string, string>;
const NONE: Claims = new Map();
/** Nobody can tell whether it is: the keys are not there, or not in time. */
const UNVERIFIED: Claims = new Map();

interface Known {
  readonly claims: Claims;
  /** By the wall clock, as tokens are. */
  readonly untilMs: number;
}

/** Some 300 bytes each: 3 MB for as many users as one process serves within minutes. Those not believed have as many. */
const MOST_KNOWN = 10_000;

/** As long as jose believes a set of keys: a key that is withdrawn counts no longer. */
const MOST_VERIFIED_MS = 600_000;

/** As often as jose looks for keys that it does not know: the token may be of one that is new. */
const REFUSED_MS = 30_000;

/** Verified at once; more are a flood of tokens, or keys do not come. Those beyond are not verified. */
const MOST_UNDER_WAY = 10_000;

/** Longer than any host that is up takes. */
const FETCH_MS = 2_000;

/** Clocks of servers that are set by NTP differ by less. */
const TOLERANCE_SECONDS = 5;

/** Longer than tokens in headers are; Node takes 16 kB of headers in all. */
const MOST_TOKEN_LETTERS = 8_192;

const TOKEN = /^(?:bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** Time and the world. */
export interface JwtWorld {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
  readonly fetch: Fetch;
  readonly load: LoadJose;
  /** Told when keys cannot be had, once until they can again. */
  readonly onError: (error: unknown) => void;
}

const HERE: JwtWorld = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  fetch: (url, init) => fetch(url, init),
  load: loadJose,
  onError: () => {},
};

/** Claims of tokens that were verified. What is known of a token is remembered, so that a signature is checked once. */
export class JwtClaims {
  readonly #settings: JwtSettings;
  readonly #world: JwtWorld;
  readonly #paths = new Set<string>();
  readonly #remote: RemoteKeys;
  /** Apart from each other: a flood of tokens that nobody signed must not push out those of users. */
  readonly #verified = new LRUCache<string, Known>({ max: MOST_KNOWN });
  readonly #refused = new LRUCache<string, Known>({ max: MOST_KNOWN });
  readonly #underWay = new Map<string, Promise<Claims>>();
  #verify: Promise<(token: string) => Promise<Readonly<Record<string, unknown>>>> | undefined = undefined;

  constructor(settings: JwtSettings, world: Partial<JwtWorld> = {}) {
    this.#settings = settings;
    this.#world = { ...HERE, ...world };
    this.#remote = new RemoteKeys(this.#world.fetch, this.#world.monotonicMs, this.#world.onError);
  }

  /**
   * Reads a claim; undefined when there is no such token, or it is not to be believed. Rejects without jose, and with
   * `isStrict` by a `KeysUnavailableError` when nobody can tell.
   */
  reader(path: string, isStrict = false): (request: RequestView) => MaybePromise<string | undefined> {
    this.#paths.add(path);
    const read = (claims: Claims) => {
      if (isStrict && claims === UNVERIFIED) throw new KeysUnavailableError('a token cannot be verified');
      return claims.get(path);
    };
    return (request) => {
      const claims = this.#claimsOf(request.header(this.#settings.header) ?? '');
      return isThenable(claims) ? claims.then(read) : read(claims);
    };
  }

  close(): void {
    this.#remote.close();
  }

  #claimsOf(header: string): MaybePromise<Claims> {
    const token = header.length <= MOST_TOKEN_LETTERS ? TOKEN.exec(header)?.[1] : undefined;
    if (token === undefined) return NONE;
    const id = hash('sha256', token, 'base64url');
    const known = this.#verified.get(id) ?? this.#refused.get(id);
    if (known !== undefined && known.untilMs > this.#world.wallMs()) return known.claims;
    let claims = this.#underWay.get(id);
    if (claims === undefined) {
      if (this.#underWay.size >= MOST_UNDER_WAY) return Promise.resolve(UNVERIFIED);
      claims = this.#learn(id, token).finally(() => this.#underWay.delete(id));
      this.#underWay.set(id, claims);
    }
    return this.#settings.key instanceof URL ? inTime(claims, this.#settings.timeoutMs) : claims;
  }

  async #learn(id: string, token: string): Promise<Claims> {
    this.#verify ??= this.#prepare();
    const verify = await this.#verify;
    try {
      const payload = await verify(token);
      const claims = new Map(
        [...this.#paths].flatMap((path) => {
          const text = claimIn(payload, path);
          return text === undefined ? [] : [[path, text] as const];
        }),
      );
      this.#verified.set(id, { claims, untilMs: this.#untilMs(payload['exp']) });
      return claims;
    } catch (error) {
      if (error instanceof KeysUnavailableError) return UNVERIFIED;
      this.#refused.set(id, { claims: NONE, untilMs: this.#world.wallMs() + REFUSED_MS });
      return NONE;
    }
  }

  #untilMs(exp: unknown): number {
    const mostMs = this.#world.wallMs() + MOST_VERIFIED_MS;
    return typeof exp === 'number' ? Math.min(mostMs, (exp + TOLERANCE_SECONDS) * 1_000) : mostMs;
  }

  async #prepare(): Promise<(token: string) => Promise<Readonly<Record<string, unknown>>>> {
    const jose = await this.#world.load(`jwt:${[...this.#paths][0]}`);
    const key =
      this.#settings.key instanceof URL ? this.#remoteSet(jose, this.#settings.key) : this.#settings.key;
    const { algorithms, issuer, audience } = this.#settings;
    return async (token) => {
      const { payload } = await jose.jwtVerify(token, key, {
        algorithms,
        issuer,
        audience,
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: new Date(this.#world.wallMs()),
      });
      return payload;
    };
  }

  #remoteSet({ createRemoteJWKSet, customFetch }: Jose, url: URL): object {
    return createRemoteJWKSet(url, {
      timeoutDuration: FETCH_MS,
      [customFetch]: (href: string, init: RequestInit) => this.#remote.get(href, init),
    });
  }
}

/** What has not come in time is not waited for; it is learned all the same, for those who come later. */
function inTime(claims: Promise<Claims>, timeoutMs: number): Promise<Claims> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(UNVERIFIED), timeoutMs);
    claims.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
