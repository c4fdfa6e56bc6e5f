import type { IncomingMessage } from 'node:http';
import { StaleCopies } from '../server/stale/stale-copies.js';
import { STALE_DEFAULTS } from '../server/stale/stale-options.js';
import { answersOf, RouteCopies } from './route-copies.js';
import {
  bytesOf,
  type IdentitySettings,
  msOf,
  type NamedRoute,
  type ServiceSettings,
} from './settings/index.js';

/** Different ones that a gateway has at once; each is 16 MB at the most. */
const MOST_SHELVES = 8;

/**
 * Old answers, for when there is too much to do. Routes with the same options share the room for them, and only those that are
 * answered in the same way the copies; each customer has its own.
 */
export class StaleShelf {
  readonly #shelves = new Map<string, StaleCopies>();
  readonly #partitions = new WeakMap<IncomingMessage, string>();

  /** Undefined: the route wants none. `service` is where it leads. */
  for(
    route: NamedRoute,
    service: Pick<ServiceSettings, 'host'>,
    identity: IdentitySettings,
  ): RouteCopies | undefined {
    const { stale } = route;
    if (stale === false) return undefined;
    const own = [identity.apiKeys?.header, identity.header?.name, identity.jwt?.header];
    const credentials = own.flatMap((name) => name?.toLowerCase() ?? []);
    const options = {
      ...(stale === true ? {} : { maxStaleMs: msOf(stale.maxStale), maxBodyBytes: bytesOf(stale.maxBody) }),
      credentials: [...new Set([...STALE_DEFAULTS.credentials, ...credentials])],
    };
    const key = JSON.stringify(options);
    let copies = this.#shelves.get(key);
    if (copies === undefined) {
      // Those that are in use live on with their routes.
      if (this.#shelves.size >= MOST_SHELVES) this.#shelves.clear();
      copies = new StaleCopies({ ...options, partition: (req) => this.#partitions.get(req)! });
      this.#shelves.set(key, copies);
    }
    return new RouteCopies(copies, answersOf(route, service), this.#partitions);
  }
}
