import { withDefaults } from '../../core/check.js';
import { createLink, LINK_DEFAULTS, type LinkOptions } from './redis-link.js';
import { RedisStore } from './redis-store.js';

/** Which Redis counts, by `url` or `client`, under which keys. */
export interface RedisStoreOptions extends LinkOptions {
  /** What keys begin with: stores with another one share nothing. */
  readonly prefix?: string | undefined;
}

export const REDIS_STORE_DEFAULTS = Object.freeze({
  ...LINK_DEFAULTS,
  prefix: 'plimsoll:rate:',
});

/**
 * A store in Redis, Valkey or a Cluster of them: `await redisStore({ url: 'redis://127.0.0.1' })`. It is there after
 * `connectMs` at the latest, also when Redis is not.
 */
export async function redisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const defaults = REDIS_STORE_DEFAULTS as Required<RedisStoreOptions>;
  const { prefix, ...link } = withDefaults('redisStore', defaults, options as Partial<typeof defaults>);
  // A Cluster goes by what is in the first braces, and these are for the key.
  if (typeof prefix !== 'string' || /[{}]/.test(prefix)) {
    throw new RangeError(`prefix must be a text without braces, got ${JSON.stringify(prefix)}`);
  }
  return new RedisStore({ link: await createLink(link), prefix });
}
