import { type Perform, performBy, type QueuedRequest } from '../rate-limit/index.js';
import type { Generation } from './generation.js';
import { isFound, lookUp } from './routing/index.js';

/** Sends a request on whose turn has come, as settings are now: routes may have changed while it waited. */
export function performQueued(generation: () => Generation): Perform {
  return async (queued, limits) => {
    const current = generation();
    const found = lookUp(current.table, { ...queued, header: (name) => headerOf(queued, name) });
    if (!isFound(found))
      throw new Error(`${queued.method} ${queued.url.slice(0, 100)} has no route any more`);
    const { route, path, query } = found;
    const { client, clientName } = route.service;
    const url = (route.rewrite === undefined ? path.path : route.rewrite.apply(path)) + query;
    current.hold();
    try {
      // The host is what a client calls its service, so that backends are told what they are always told.
      const perform = performBy(`http://${clientName}`, { dispatcher: client.dispatcher });
      return await perform({ ...queued, url }, limits);
    } finally {
      current.release();
    }
  };
}

function headerOf({ headers }: QueuedRequest, name: string): string | undefined {
  const at = headers.findIndex((each, i) => i % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}
