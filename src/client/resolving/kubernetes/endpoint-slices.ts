import { isIPv6 } from 'node:net';
import type { ResolvedBackend } from '../resolver.js';
import type { Slice, SliceEndpoint } from './slice.js';

export interface SliceChoice {
  readonly protocol: string;
  /** By name or number; undefined: the only one. */
  readonly port: string | number | undefined;
}

/** A hundred backends a slice is usual: far beyond what is used of them. */
export const MOST_SLICES = 1_000;

/** Of a pod that has several, this is the address that is used. */
const PREFERENCE: readonly string[] = ['IPv4', 'IPv6', 'FQDN'];

/** All slices of a service, merged: which backends there are. */
export class EndpointSlices {
  readonly #choice: SliceChoice;
  #byName = new Map<string, Slice>();
  /** Why slices are left out; undefined when none is. */
  #problem: string | undefined;

  constructor(choice: SliceChoice) {
    this.#choice = choice;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  /** A list: what is not in it is gone. */
  replaceAll(slices: readonly Slice[]): void {
    this.#byName = new Map(slices.slice(0, MOST_SLICES).map((slice) => [slice.name, slice]));
  }

  put(slice: Slice): void {
    if (this.#byName.has(slice.name) || this.#byName.size < MOST_SLICES) this.#byName.set(slice.name, slice);
  }

  delete(name: string): void {
    this.#byName.delete(name);
  }

  /** What they say together. An address that is moved from one slice to another may be in both, or twice the same. */
  backends(host?: string): ResolvedBackend[] {
    this.#problem = undefined;
    const preferred = this.#preferredTypes();
    return [...this.#byName.values()].flatMap((slice) => {
      const port = this.#portOf(slice);
      if (port === undefined) return [];
      return slice.endpoints
        .filter(({ uid }) => uid === undefined || preferred.get(uid) === typeRank(slice))
        .flatMap((endpoint) => this.#backend(endpoint, port, host));
    });
  }

  /** Pods with addresses of both families are in slices of both: the same pod, once. */
  #preferredTypes(): Map<string, number> {
    const ranks = new Map<string, number>();
    for (const slice of this.#byName.values()) {
      const rank = typeRank(slice);
      for (const { uid } of slice.endpoints) {
        if (uid !== undefined && rank < (ranks.get(uid) ?? Number.POSITIVE_INFINITY)) ranks.set(uid, rank);
      }
    }
    return ranks;
  }

  #portOf({ name, ports, endpoints }: Slice): number | undefined {
    const { port } = this.#choice;
    const fitting = ports.filter((each) => port === undefined || each.name === port || each.port === port);
    if (fitting.length === 1 || (fitting.length > 1 && port !== undefined)) return fitting[0]!.port;
    // A service without backends has slices without ports.
    if (endpoints.length === 0) return undefined;
    const names = ports.map((each) => `${each.name}:${each.port}`).join(', ');
    this.#problem = `slice ${name} has the ports ${names || 'none'}, ${port === undefined ? 'one must be chosen' : `not ${port}`}`;
    return undefined;
  }

  #backend(
    { address, zone, state }: SliceEndpoint,
    port: number,
    host: string | undefined,
  ): ResolvedBackend[] {
    if (state === undefined) return [];
    const url = `${this.#choice.protocol}//${isIPv6(address) ? `[${address}]` : address}:${port}`;
    return [{ url, state, ...(zone === undefined ? {} : { zone }), ...(host === undefined ? {} : { host }) }];
  }
}

function typeRank({ addressType }: Slice): number {
  const rank = PREFERENCE.indexOf(addressType);
  return rank === -1 ? PREFERENCE.length : rank;
}
