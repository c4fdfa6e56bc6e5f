import { Redis } from 'ioredis';
import { afterEach } from 'vitest';
import { createQuota, type Quota, type QuotaSettings } from '../../../src/quota/index.js';
import { RedisServer } from '../../redis/redis-server.js';
import { Traffic } from './traffic.js';

/** `heavy` and `light` may use 100 a second each, on all backends together. */
export const LIMITS = {
  customers: [
    { customer: 'heavy', perSecond: 100 },
    { customer: 'light', perSecond: 100 },
  ],
  everyoneElse: { perSecond: 10 },
};

/** What tests of quotas need, closed after each of them. */
export class QuotaBed {
  readonly #owned: (() => unknown)[] = [];

  constructor() {
    afterEach(async () => {
      for (const end of this.#owned.splice(0).reverse()) await end();
    });
  }

  own(end: () => unknown): void {
    this.#owned.push(end);
  }

  async redis(args: readonly string[] = []): Promise<RedisServer> {
    const server = await RedisServer.start(args);
    this.own(() => server.stop());
    return server;
  }

  admin({ port }: RedisServer): Redis {
    const admin = new Redis(port);
    admin.on('error', () => {});
    this.own(() => admin.disconnect());
    return admin;
  }

  async quota(url: string | readonly string[], options: Partial<QuotaSettings> = {}): Promise<Quota> {
    const quota = await createQuota({
      redis: { url, connectMs: 10_000 },
      service: 'search',
      limits: LIMITS,
      ...options,
    });
    this.own(() => quota.close());
    return quota;
  }

  quotas(count: number, url: string | readonly string[], options?: Partial<QuotaSettings>): Promise<Quota[]> {
    return Promise.all(Array.from({ length: count }, () => this.quota(url, options)));
  }

  traffic(): Traffic {
    const traffic = new Traffic();
    this.own(() => traffic.stop());
    return traffic;
  }
}

/** All of them hear levels. */
export function areFresh(quotas: readonly Quota[]): boolean {
  return quotas.every(({ stage }) => stage === 'fresh');
}
