import type { IncomingMessage } from 'node:http';
import { StaleCopies } from '../server/stale/stale-copies.js';
import { STALE_DEFAULTS } from '../server/stale/stale-options.js';
import { bytesOf, type IdentitySettings, msOf, type NamedRoute } from './settings/index.js';

/** Different ones that a gateway has at once; each is 16 MB at the most. */
const MOST_SHELVES = 8;

/** Old answers, for when there is too much to do. Routes with the same options share them; each customer has its own. */
export class StaleShelf {
  readonly #shelves = new Map<string, StaleCopies>();
  readonly #customers = new WeakMap<IncomingMessage, string>();

  /** Whose request it is, told before it is looked up or copied. */
  readonly keepCustomer = (req: IncomingMessage, customer: string | undefined): void => {
    if (customer !== undefined) this.#customers.set(req, customer);
  };

  /** Undefined: the route wants none. */
  for(stale: NamedRoute['stale'], identity: IdentitySettings): StaleCopies | undefined {
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
      copies = new StaleCopies({ ...options, partition: (req) => this.#customers.get(req) ?? '' });
      this.#shelves.set(key, copies);
    }
    return copies;
  }
}
