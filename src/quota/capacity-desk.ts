import { randomBytes } from 'node:crypto';
import {
  type CapacityGrant,
  type CapacitySnapshot,
  readCapacityAsk,
  readCapacityRelease,
} from '../core/index.js';
import { joinAddresses, splitAddresses } from './capacity-address.js';
import { addressesOf, type CapacityServerSettings, parentOptions } from './capacity-server-options.js';
import { CapacityTerms } from './capacity-terms.js';

/** Messages since the start. */
export interface CapacityCounts {
  granted: number;
  /** Asks that were not answered by a grant: it is not master, or there is no news. */
  notGranted: number;
  released: number;
  /** Bodies that were no message, too long or too slow. */
  unreadable: number;
}

/** What a desk says to a message; how that is put is the business of who brought it. */
export type CapacityAnswer =
  | { readonly kind: 'granted'; readonly grant: CapacityGrant }
  | { readonly kind: 'released' }
  /** Go on with what you have, and ask again. */
  | { readonly kind: 'no-news' }
  | { readonly kind: 'not-master' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'unknown-resource' };

const NO_NEWS: CapacityAnswer = Object.freeze({ kind: 'no-news' });
const RELEASED: CapacityAnswer = Object.freeze({ kind: 'released' });
const NOT_MASTER: CapacityAnswer = Object.freeze({ kind: 'not-master' });
const UNREADABLE: CapacityAnswer = Object.freeze({ kind: 'unreadable' });
const UNKNOWN: CapacityAnswer = Object.freeze({ kind: 'unknown-resource' });

/** Without mastership there is one term, and it never ends. */
const ONLY_TERM = 0;

/** Where messages are answered, however they came: the books of this server, and whether they count at this instant. */
export class CapacityDesk {
  readonly counts: CapacityCounts = { granted: 0, notGranted: 0, released: 0, unreadable: 0 };
  /** Rejects for a mastership that cannot be. */
  readonly started: Promise<void>;
  readonly #settings: CapacityServerSettings;
  readonly #terms: CapacityTerms;
  readonly #onTerm = () => void this.#placesNow();
  #isClosed = false;

  constructor(settings: CapacityServerSettings) {
    this.#settings = settings;
    const { resources, mastership } = settings;
    this.#terms = new CapacityTerms(resources, parentOptions(settings, randomBytes(4).toString('hex')));
    const addresses = addressesOf(settings);
    if (addresses !== undefined) mastership?.announce(joinAddresses(addresses));
    mastership?.on('won', this.#onTerm).on('lost', this.#onTerm);
    this.started = mastership?.start() ?? Promise.resolve();
    this.started.catch((error) => process.emitWarning(`there is no mastership: ${error.message}`));
    this.#placesNow();
  }

  has(resource: string): boolean {
    return this.#terms.has(resource);
  }

  get isMaster(): boolean {
    return this.#placesNow().size > 0;
  }

  /** Where the master is, by one of these protocols. '' if nobody knows. */
  masterAt(protocols: readonly string[]): string {
    return splitAddresses(this.#settings.mastership?.address ?? '', protocols)[0] ?? '';
  }

  /** A message as it came. */
  ask(resource: string, message: unknown): CapacityAnswer {
    if (!this.has(resource)) return UNKNOWN;
    const ask = readCapacityAsk(message);
    if (ask === undefined) return this.refuse();
    const place = this.#placesNow().get(resource);
    const grant = place?.refresh(performance.now(), ask);
    this.counts[grant === undefined ? 'notGranted' : 'granted']++;
    if (grant !== undefined) return { kind: 'granted', grant };
    return place === undefined ? NOT_MASTER : NO_NEWS;
  }

  /** A message as it came. */
  release(resource: string, message: unknown): CapacityAnswer {
    if (!this.has(resource)) return UNKNOWN;
    const release = readCapacityRelease(message);
    if (release === undefined) return this.refuse();
    const place = this.#placesNow().get(resource);
    if (place === undefined) return NOT_MASTER;
    place.release(release);
    this.counts.released++;
    return RELEASED;
  }

  /** Something came that is no message. */
  refuse(): CapacityAnswer {
    this.counts.unreadable++;
    return UNREADABLE;
  }

  setCapacity(resource: string, capacity: number): void {
    this.#placesNow();
    this.#terms.setCapacity(performance.now(), resource, capacity);
  }

  /** Empty while it is not master. */
  snapshot(): Readonly<Record<string, CapacitySnapshot>> {
    const places = this.#placesNow();
    const now = performance.now();
    return Object.fromEntries([...places].map(([name, place]) => [name, place.snapshot(now)]));
  }

  /** Hands out nothing from here on; another one may become master at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#placesNow();
    const { mastership } = this.#settings;
    mastership?.off('won', this.#onTerm).off('lost', this.#onTerm);
    await mastership?.close();
  }

  /** By the clock of this instant: a term may have ended while nobody looked. */
  #placesNow() {
    const { mastership } = this.#settings;
    const token = mastership === undefined ? ONLY_TERM : mastership.token;
    return this.#terms.enter(performance.now(), this.#isClosed ? undefined : token);
  }
}
