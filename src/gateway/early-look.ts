import type { Criticality } from '../core/index.js';
import type { RequestHead } from '../server/index.js';
import { RequestFacts, readRequestHeaders, UNMETERED } from '../wire/index.js';
import type { Generation } from './generation.js';
import type { LiveRoute } from './live-route.js';
import { isFound, lookUp } from './routing/index.js';
import type { KeyOwner } from './settings/index.js';

/** What the guard asks before it lets a request in: whose it is, and how critical. */
export class EarlyLook {
  readonly #generation: () => Generation;
  readonly #hasQuota: boolean;
  readonly #facts = new RequestFacts();
  /** Both questions come about the same request, one after the other. */
  #headers: readonly string[] | undefined = undefined;
  #route: LiveRoute | undefined = undefined;
  #who: KeyOwner | undefined = undefined;
  /** Lent: that of the request which is being decided on. */
  lastHead: RequestHead | undefined = undefined;

  constructor(generation: () => Generation, hasQuota: boolean) {
    this.#generation = generation;
    this.#hasQuota = hasQuota;
  }

  readonly customer = (head: RequestHead): string | undefined => {
    this.lastHead = head;
    if (!this.#look(head)) return undefined;
    if (this.#hasQuota && this.#route?.hasQuota === false) return UNMETERED;
    return this.#who?.customer;
  };

  readonly criticality = (head: RequestHead): Criticality | undefined => {
    if (!this.#look(head) || this.#route === undefined) return undefined;
    const rule = this.#route.criticality;
    const ceiling = this.#who?.criticality;
    // What holds anyway is found out by the guard itself.
    if (rule.isUsual && ceiling === undefined) return undefined;
    return rule.decide(head.isTrusted ? this.#said(head) : undefined, ceiling);
  };

  /** Batches wait in a line of their own, and yield by themselves. */
  readonly aside = (head: RequestHead): boolean => this.#look(head) && this.#route?.batch !== undefined;

  #look(head: RequestHead): boolean {
    const generation = this.#generation();
    if (!generation.looksEarly) return false;
    if (this.#headers === head.rawHeaders) return true;
    this.#headers = head.rawHeaders;
    const found = lookUp(generation.table, head);
    this.#route = isFound(found) ? found.route : undefined;
    this.#who = generation.identity.early(head);
    return true;
  }

  #said({ rawHeaders }: RequestHead): Criticality | undefined {
    readRequestHeaders(rawHeaders, this.#facts);
    return this.#facts.criticality;
  }
}
