/** What is seen of a service at one look. */
export interface SeenService {
  readonly service: string;
  readonly backends: readonly { readonly url: string; readonly state: string }[];
}

export interface BackendChange {
  readonly service: string;
  readonly backend: string;
  readonly before: string;
  readonly state: string;
}

/** So many are told of at one look: when half of a fleet falls over, the rest is in the snapshot. */
const MOST_CHANGES = 100;

/** What has changed from one look to the next. A backend that is new is `new` before; one that is gone is `gone` after. */
export class BackendStates {
  #seen: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined = undefined;

  changes(services: readonly SeenService[]): BackendChange[] {
    const before = this.#seen;
    const now = new Map(
      services.map(({ service, backends }) => [
        service,
        new Map(backends.map(({ url, state }) => [url, state])),
      ]),
    );
    this.#seen = now;
    // The first look finds everything new, which is no news.
    if (before === undefined) return [];
    const changes: BackendChange[] = [];
    for (const service of new Set([...before.keys(), ...now.keys()]))
      changes.push(...changesOf(service, before.get(service), now.get(service)));
    return changes.slice(0, MOST_CHANGES);
  }
}

function changesOf(
  service: string,
  before: ReadonlyMap<string, string> = new Map(),
  now: ReadonlyMap<string, string> = new Map(),
): BackendChange[] {
  const changes: BackendChange[] = [];
  for (const [backend, state] of now) {
    const old = before.get(backend) ?? 'new';
    if (old !== state) changes.push({ service, backend, before: old, state });
  }
  for (const [backend, old] of before)
    if (!now.has(backend)) changes.push({ service, backend, before: old, state: 'gone' });
  return changes;
}
