/** What is seen of a service at one look. */
export interface SeenResolver {
  readonly service: string;
  /** Why its backends cannot be found out. */
  readonly resolverError: string | undefined;
  /** Backends that were found before. */
  readonly known: number;
}

export interface ResolverChange {
  readonly service: string;
  /** Undefined: they are found again. */
  readonly reason: string | undefined;
  readonly known: number;
}

/** A gateway of a thousand services whose name server is gone has one thing to say, not a thousand. */
const MOST_CHANGES = 100;

/** Whose backends cannot be found, or can again, since the last look. At the first one it is news: nobody was told before. */
export class ResolverStates {
  #reasons: ReadonlyMap<string, string> = new Map();

  changes(services: readonly SeenResolver[]): ResolverChange[] {
    const reasons = new Map<string, string>();
    const changes: ResolverChange[] = [];
    for (const { service, resolverError: reason, known } of services) {
      if (reason !== undefined) reasons.set(service, reason);
      if (reason !== this.#reasons.get(service)) changes.push({ service, reason, known });
    }
    this.#reasons = reasons;
    return changes.slice(0, MOST_CHANGES);
  }
}
