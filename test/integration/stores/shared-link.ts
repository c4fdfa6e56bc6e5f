import type { RedisLink } from '../../../src/stores/redis/redis-link.js';
import type { RedisStoreParts } from '../../../src/stores/redis/redis-store.js';

/** A link for many stores, which stays open when they close. */
export function sharedLink(link: RedisLink, { isCluster = link.isCluster } = {}): RedisStoreParts['link'] {
  return {
    isCluster,
    run: link.run.bind(link),
    snapshot: link.snapshot.bind(link),
    close: async () => {},
  };
}
