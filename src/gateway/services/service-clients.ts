import { isDeepStrictEqual } from 'node:util';
import { type Client, createClient } from '../../client/index.js';
import type { ServiceSettings } from '../settings/index.js';
import { clientOptionsOf, type ServiceFiles } from './client-options.js';

/** A service as settings and files have it. */
export interface ServicePlan {
  readonly settings: ServiceSettings;
  readonly files: ServiceFiles;
}

/** A client of a service, and what it was made of. */
export interface ServiceClient extends ServicePlan {
  /** As settings have it: a name, or the URL of a backend. */
  readonly name: string;
  /** What its client calls itself: the host of URLs, too. */
  readonly clientName: string;
  readonly client: Client;
}

type Make = (clientName: string, plan: ServicePlan) => Client;

/** Clients of all services. What has not changed keeps its connections and all that it has learned. */
export class ServiceClients {
  readonly #make: Make;
  #current: ReadonlyMap<string, ServiceClient> = new Map();

  /** `resolve` makes a file's name one that can be opened. */
  constructor(resolve: (file: string) => string, make?: Make) {
    this.#make =
      make ?? ((name, { settings, files }) => createClient(clientOptionsOf(name, settings, files, resolve)));
  }

  get current(): ReadonlyMap<string, ServiceClient> {
    return this.#current;
  }

  /** Makes what is new. Nothing has changed before `use`; if something cannot be made, nothing is left of it. */
  async prepare(plans: ReadonlyMap<string, ServicePlan>): Promise<ReadonlyMap<string, ServiceClient>> {
    const next = new Map<string, ServiceClient>();
    try {
      for (const [name, plan] of plans) next.set(name, this.#sameOrNew(name, plan));
    } catch (error) {
      await this.discard(next);
      throw error;
    }
    return next;
  }

  /** Those that were prepared and are not to be used after all. */
  async discard(prepared: ReadonlyMap<string, ServiceClient>): Promise<void> {
    const made = [...prepared.values()].filter(
      ({ name, client }) => this.#current.get(name)?.client !== client,
    );
    await Promise.all(made.map(({ client }) => client.destroy()));
  }

  /** From now on these. Returns those that are in no use any more: to be closed when nobody asks for them. */
  use(next: ReadonlyMap<string, ServiceClient>): readonly ServiceClient[] {
    const retired = [...this.#current.values()].filter(
      ({ name, client }) => next.get(name)?.client !== client,
    );
    this.#current = next;
    return retired;
  }

  #sameOrNew(name: string, plan: ServicePlan): ServiceClient {
    const known = this.#current.get(name);
    if (known !== undefined && isSame(known, plan)) return known;
    const clientName = clientNameOf(name);
    try {
      return { ...plan, name, clientName, client: this.#make(clientName, plan) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(`service ${name}: ${error.message}`, { cause: error });
    }
  }
}

function isSame(one: ServicePlan, other: ServicePlan): boolean {
  return isDeepStrictEqual(one.settings, other.settings) && isDeepStrictEqual(one.files, other.files);
}

/** Of a URL, its host: a name for metrics that is one for hosts, too. */
function clientNameOf(name: string): string {
  if (!name.includes('://')) return name.toLowerCase().replaceAll('_', '-');
  return new URL(name).host.replaceAll(/[^\w.-]+/g, '-');
}
