import { RedisQuotaExchange } from '../stores/redis/quota-exchange.js';
import { createLink, type LinkOptions, type RedisLink } from '../stores/redis/redis-link.js';
import { RedisMastership } from '../stores/redis/redis-mastership.js';
import { type CoordinatorCounts, CoordinatorLoop } from './coordinator-loop.js';
import { coordinatorOptions, type QuotaCoordinatorSettings } from './quota-options.js';

/** How it stands with Redis. */
export interface QuotaPlaceSnapshot {
  readonly isReady: boolean;
  /** Why there is no connection, or what the last failure was. */
  readonly lastError: string | undefined;
}

/** The connection of one process to what it shares with its service, and the election of who coordinates. */
export class QuotaPlace {
  readonly exchange: RedisQuotaExchange;
  readonly #link: RedisLink;
  readonly #mastership: RedisMastership | undefined;
  readonly #loop: CoordinatorLoop | undefined;

  private constructor(
    link: RedisLink,
    settings: QuotaCoordinatorSettings,
    coordinates: boolean,
    onTurn: (isCoordinator: boolean) => void,
  ) {
    const { prefix, service, everyMs, termMs, limits } = settings;
    this.#link = link;
    this.exchange = new RedisQuotaExchange(link, prefix, service);
    if (!coordinates) return;
    const name = { name: service, prefix: `${prefix}master:`, ttlMs: termMs };
    const mastership = new RedisMastership(name, link);
    const token = () => mastership.token;
    const options = coordinatorOptions(settings);
    const onToken = (heard: number) => mastership.heard(heard);
    const loop = new CoordinatorLoop({ exchange: this.exchange, token, onToken, everyMs, options }, limits);
    mastership.on('won', () => {
      loop.wake();
      onTurn(true);
    });
    mastership.on('lost', () => {
      loop.wake();
      onTurn(false);
    });
    this.#mastership = mastership;
    this.#loop = loop;
  }

  /** There after `connectMs` at the latest, also when Redis is not. */
  static async open(
    redis: LinkOptions,
    settings: QuotaCoordinatorSettings,
    coordinates: boolean,
    onTurn: (isCoordinator: boolean) => void,
  ): Promise<QuotaPlace> {
    const link = await createLink(redis);
    try {
      return new QuotaPlace(link, settings, coordinates, onTurn);
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  /** Stands for election. Whoever listens by then hears of all that comes of it: an answer takes a while. */
  async begin(): Promise<void> {
    await this.#mastership?.start();
  }

  /** Of the coordinator's term that this process is in. undefined: it is not coordinator. */
  get token(): number | undefined {
    return this.#mastership?.token;
  }

  get counts(): Readonly<CoordinatorCounts> | undefined {
    return this.#loop?.counts;
  }

  get loop(): CoordinatorLoop | undefined {
    return this.#loop;
  }

  snapshot(): QuotaPlaceSnapshot {
    const { isReady, lastError } = this.#link.snapshot();
    return { isReady, lastError };
  }

  /** From now on it does not keep the process alive. */
  unref(): void {
    this.#link.unref();
  }

  async close(): Promise<void> {
    this.#loop?.close();
    await this.#mastership?.close();
    await this.#link.close();
  }
}
