import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { checkInteger, withDefaults } from '../../core/check.js';
import { elapsedMs, type Random } from '../../core/index.js';
import { heedless } from './heedless.js';
import { createLink, LINK_DEFAULTS, type LinkOptions, type RedisLink } from './redis-link.js';
import { loadScript } from './redis-script.js';

/** Who competes for what, and how long a term is. */
export interface RedisMastershipOptions extends LinkOptions {
  /** Of those that have the same one, one is master at a time. */
  readonly name: string;
  /** What keys begin with. */
  readonly prefix?: string | undefined;
  /** How long a term holds unless it is renewed. All of one name must have the same. */
  readonly ttlMs?: number | undefined;
}

export const MASTERSHIP_DEFAULTS = Object.freeze({
  ...LINK_DEFAULTS,
  prefix: 'plimsoll:master:',
  // Another one takes over within a term and a quarter, 1.5 s: half a second of the promised 2 s is left for pauses. Shorter
  // ones would end whenever a process or Redis pauses for a moment.
  ttlMs: 1_200,
});

const SCRIPT = loadScript('mastership.lua');

/** Three renewals may fail before a term ends. */
const RENEWALS = 4;

/** Those that began together drift apart. Sooner, never later. */
const JITTER = 0.2;

/** The clock here may be slower than that of Redis; crystals differ by a tenth of this at the most. */
const DRIFT = 1.001;

/** An address is for people and for a header: longer ones are none. */
const MOST_ADDRESS_LENGTH = 1_024;

/** A pause of Redis is not waited out by whoever closes. */
const RELEASE_MS = 200;

export interface MastershipAnswer {
  readonly isMaster: boolean;
  readonly token: number;
  readonly address: string;
}

/** What the script answered, or undefined if it is something else. */
export function readMastershipAnswer(reply: unknown): MastershipAnswer | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [isMaster, token, address] = reply as readonly unknown[];
  if (typeof address !== 'string' || !Number.isSafeInteger(token)) return undefined;
  return { isMaster: isMaster === 1, token: token as number, address };
}

/**
 * Who is master, as one candidate knows it, by its own clock. A term is counted from when it was asked for, which is before
 * Redis began to count: it ends here before it ends there, so nobody else has begun by then.
 */
export class MastershipTerms {
  readonly #ttlMs: number;
  readonly #random: Random;
  #askedMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #dueMs = Number.NEGATIVE_INFINITY;
  #token: number | undefined = undefined;
  #endsMs = Number.NEGATIVE_INFINITY;
  #heard = 0;
  #address = '';

  constructor(ttlMs: number, random: Random) {
    this.#ttlMs = ttlMs;
    this.#random = random;
  }

  /** The token of the term that this one is in. undefined: it is not master. */
  token(now: number): number | undefined {
    return now < this.#endsMs ? this.#token : undefined;
  }

  /** The highest token that was heard of, whoever had it. */
  get heard(): number {
    return this.#heard;
  }

  /** Of the master, as last heard. '' if nobody knows. */
  get address(): string {
    return this.#address;
  }

  /** When to ask. Infinity while an answer is awaited. */
  get askAtMs(): number {
    return this.#isAsking ? Number.POSITIVE_INFINITY : this.#dueMs;
  }

  /** When the term ends, if nothing else happens. Infinity without one. */
  get endsMs(): number {
    return this.#token === undefined ? Number.POSITIVE_INFINITY : this.#endsMs;
  }

  ask(now: number): 'acquire' | 'renew' {
    this.#isAsking = true;
    this.#askedMs = now;
    return this.token(now) === undefined ? 'acquire' : 'renew';
  }

  answered(now: number, { isMaster, token, address }: MastershipAnswer): void {
    this.#settle(now);
    this.hear(token);
    this.#address = address;
    this.#token = isMaster ? token : undefined;
    this.#endsMs = isMaster ? this.#askedMs + this.#ttlMs / DRIFT : Number.NEGATIVE_INFINITY;
  }

  /** Somebody has spoken with this token: the next term has a greater one. */
  hear(token: number): void {
    this.#heard = Math.max(this.#heard, token);
  }

  /** Nobody answered: what it has it keeps, until that ends. */
  failed(now: number): void {
    this.#settle(now);
  }

  /** It is master no more, and who is next nobody knows. */
  end(): void {
    if (this.#token !== undefined) this.#address = '';
    this.#token = undefined;
    this.#endsMs = Number.NEGATIVE_INFINITY;
  }

  #settle(now: number): void {
    this.#isAsking = false;
    this.#dueMs = now + (this.#ttlMs / RENEWALS) * (1 - JITTER * this.#random());
  }
}

/** `won` and `lost`, each with the token of the term. */
interface MastershipEvents {
  won: [token: number];
  lost: [token: number];
}

/**
 * One of several processes is master, by a lease in Redis. Each term has a token, greater than those of all terms before:
 * whatever a master writes elsewhere can be told from what a later one wrote.
 *
 * Events are for what should begin or end; whoever acts as master asks for `token` at that instant.
 */
export class RedisMastership extends EventEmitter<MastershipEvents> {
  readonly name: string;
  readonly #options: Required<RedisMastershipOptions>;
  readonly #terms: MastershipTerms;
  readonly #owner = randomUUID();
  readonly #keys: readonly string[];
  readonly #shared: RedisLink | undefined;
  #address = '';
  #link: Promise<RedisLink> | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #won: number | undefined = undefined;
  #isClosed = false;

  /** With a link that is shared with others, which then is theirs to close. */
  constructor(options: RedisMastershipOptions, shared?: RedisLink) {
    super();
    this.#shared = shared;
    const defaults = {
      name: undefined,
      ...MASTERSHIP_DEFAULTS,
    } as unknown as Required<RedisMastershipOptions>;
    this.#options = withDefaults('redisMastership', defaults, options as Partial<typeof defaults>);
    const { name, prefix, ttlMs } = this.#options;
    if (typeof name !== 'string' || name === '') {
      throw new RangeError(`name must be what one is master of, got ${JSON.stringify(name)}`);
    }
    // Below, an answer that took a moment would be of a term that has ended.
    this.#terms = new MastershipTerms(checkInteger('ttlMs', ttlMs, 100), Math.random);
    this.name = name;
    // The braces keep the two together on a Cluster.
    this.#keys = ['holder', 'token'].map((part) => `${prefix}{${name}}:${part}`);
  }

  /** Begins to ask. Rejects for options that cannot work, not for a Redis that is gone. */
  async start(): Promise<void> {
    if (this.#link !== undefined || this.#isClosed) return;
    const { name, prefix, ttlMs, ...link } = this.#options;
    this.#link = this.#shared === undefined ? createLink(link) : Promise.resolve(this.#shared);
    await this.#link;
    this.#look();
  }

  /** Where others should go while this one is master. */
  announce(address: string): void {
    this.#address = address.length > MOST_ADDRESS_LENGTH ? '' : address;
  }

  /**
   * A token was seen elsewhere. If it is not below that of a term to come, Redis has lost count: the next one is greater
   * than this, and if this one is master by a smaller one it is so no longer.
   */
  heard(token: number): void {
    if (Number.isSafeInteger(token + 1)) this.#terms.hear(token);
  }

  /** Of the term that it is in at this instant. undefined: it is not master. */
  get token(): number | undefined {
    return this.#terms.token(performance.now());
  }

  /** Where the master is, as last heard. '' if nobody knows. */
  get address(): string {
    return this.#terms.address;
  }

  /** Ends the term, so that another one need not wait. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#terms.end();
    this.#tell();
    const link = await this.#link?.catch(() => undefined);
    if (link === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, RELEASE_MS);
    });
    // If it is not heard, the term ends by itself.
    await Promise.race([this.#run(link, 'release').catch(() => {}), patience]);
    clearTimeout(timer);
    if (this.#shared === undefined) await link.close();
  }

  #run(link: RedisLink, action: string): Promise<unknown> {
    const { ttlMs } = this.#options;
    return link.run(SCRIPT, this.#keys, [action, this.#owner, this.#address, ttlMs!, this.#terms.heard]);
  }

  #look(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const now = performance.now();
    this.#tell();
    if (this.#terms.askAtMs <= now) void this.#ask(now);
    const nextMs = Math.min(this.#terms.askAtMs, this.#terms.endsMs);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#look(), Math.ceil(elapsedMs(now, nextMs))).unref();
  }

  async #ask(now: number): Promise<void> {
    const action = this.#terms.ask(now);
    const reply = await this.#run(await this.#link!, action).catch(() => undefined);
    if (this.#isClosed) return;
    const answer = readMastershipAnswer(reply);
    if (answer === undefined) this.#terms.failed(performance.now());
    else this.#terms.answered(performance.now(), answer);
    this.#look();
  }

  #tell(): void {
    const { token } = this;
    const before = this.#won;
    if (token === before) return;
    this.#won = token;
    if (token === undefined) this.#terms.end();
    if (before !== undefined) heedless(() => this.emit('lost', before));
    if (token !== undefined) heedless(() => this.emit('won', token));
  }
}

/** `createCapacityServer({ …, mastership: redisMastership({ url, name: 'gpu' }) })`. */
export function redisMastership(options: RedisMastershipOptions): RedisMastership {
  return new RedisMastership(options);
}
