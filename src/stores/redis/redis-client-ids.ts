import { randomUUID } from 'node:crypto';
import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';
import { createLink, LINK_DEFAULTS, type LinkOptions, type RedisLink } from './redis-link.js';
import { loadScript } from './redis-script.js';

/** Numbers for the clients of a service, handed out by a Redis: without gaps, as subsetting needs them. */
export interface RedisClientIdsOptions extends LinkOptions {
  /** Clients of one name share the numbers: the service that they call. */
  readonly name: string;
  /** What keys begin with. */
  readonly prefix?: string | undefined;
  /** A number that is not renewed for so long is given to somebody else. */
  readonly ttlMs?: number | undefined;
  /** How often a lease is tried, a second apart, before the client does without. */
  readonly attempts?: number | undefined;
  /** Told when somebody else has this one's number: it was not renewed in time. */
  readonly onLost?: ((id: number) => void) | undefined;
}

export const CLIENT_IDS_DEFAULTS = Object.freeze({
  ...LINK_DEFAULTS,
  prefix: 'plimsoll:client-ids:',
  // Longer than a Redis is gone when it is replaced, so that numbers stay; short enough that those of clients that died
  // are taken before a fleet of new ones has moved far up.
  ttlMs: 30_000,
  attempts: 3,
  onLost: (id: number): void =>
    process.emitWarning(`the client id ${id} was not renewed in time, and is somebody else's now`),
});

const SCRIPT = loadScript('client-id.lua');

/** Three renewals may fail before a number is lost. */
const RENEWALS = 4;

/** As the client's ClientIdSource: small numbers without gaps, each held by one client at a time. */
export class RedisClientIds {
  readonly #options: Required<RedisClientIdsOptions>;
  readonly #nowMs: () => number;
  readonly #keys: readonly string[];

  constructor(options: RedisClientIdsOptions, nowMs: () => number = () => 0) {
    const defaults = {
      name: undefined,
      ...CLIENT_IDS_DEFAULTS,
    } as unknown as Required<RedisClientIdsOptions>;
    this.#options = withDefaults('redisClientIds', defaults, options as Partial<typeof defaults>);
    const { name, prefix, ttlMs, attempts } = this.#options;
    if (typeof name !== 'string' || name === '') {
      throw new RangeError(`name must be the name of a service, got ${JSON.stringify(name)}`);
    }
    checkPositive('ttlMs', ttlMs);
    checkInteger('attempts', attempts, 1);
    this.#nowMs = nowMs;
    // The braces keep the three together on a Cluster.
    this.#keys = ['owners', 'ends', 'numbers'].map((part) => `${prefix}{${name}}:${part}`);
  }

  async lease(): Promise<{ readonly id: number; release(): Promise<void> }> {
    const { name, prefix, ttlMs, attempts, onLost, ...link } = this.#options;
    return await Lease.take(await createLink(link), attempts!, {
      run: async (redis, action, owner, id) => {
        const args = [action, owner, id, Math.ceil(ttlMs!), this.#nowMs()];
        return Number(await redis.run(SCRIPT, this.#keys, args));
      },
      everyMs: ttlMs! / RENEWALS,
      onLost: onLost!,
    });
  }
}

interface LeaseActions {
  readonly run: (link: RedisLink, action: string, owner: string, id: number) => Promise<number>;
  readonly everyMs: number;
  readonly onLost: (id: number) => void;
}

/** A number that is held, renewed until it is released. */
class Lease {
  readonly id: number;
  readonly #link: RedisLink;
  readonly #owner: string;
  readonly #actions: LeaseActions;
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;

  private constructor(link: RedisLink, owner: string, id: number, actions: LeaseActions) {
    this.id = id;
    this.#link = link;
    this.#owner = owner;
    this.#actions = actions;
    this.#timer = setInterval(() => void this.#renew(), actions.everyMs).unref();
  }

  static async take(link: RedisLink, attempts: number, actions: LeaseActions): Promise<Lease> {
    const owner = randomUUID();
    for (let attempt = 1; ; attempt++) {
      try {
        return new Lease(link, owner, await actions.run(link, 'lease', owner, 0), actions);
      } catch (error) {
        if (attempt >= attempts) {
          await link.close();
          throw error;
        }
        await link.whenReady(1_000);
      }
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    // If it is not heard, it ends by itself.
    await this.#actions.run(this.#link, 'release', this.#owner, this.id).catch(() => {});
    await this.#link.close();
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const renewed = await this.#actions.run(this.#link, 'renew', this.#owner, this.id).catch(() => undefined);
    this.#isRenewing = false;
    // Undefined: nobody answered, the next time comes.
    if (renewed !== -1 || this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#actions.onLost(this.id);
  }
}

/** Numbers for clients from Redis: `createClient({ clientId: redisClientIds({ url, name: 'orders' }) })`. */
export function redisClientIds(options: RedisClientIdsOptions): RedisClientIds {
  return new RedisClientIds(options);
}
