import type { ConnectionState, Roster } from '../../core/index.js';

/** What is to be known of a link. */
export interface MarkedLink {
  readonly key: string;
  readonly connection: ConnectionState;
  /** A lame duck perhaps: it has said GOAWAY, which servers also say to end one old connection. Or silent, and connected to. */
  readonly isLastResort: boolean;
}

/**
 * Tells a roster of links. Lame ducks on no more than a hint, and backends that have only fallen silent, are sent to
 * nevertheless when no other backend is ready: a connection that was merely old, or something that swallows health checks,
 * must not cost a request.
 */
export class LastResorts {
  readonly #roster: Roster;
  /** What each is otherwise. */
  readonly #links = new Map<string, ConnectionState>();

  constructor(roster: Roster) {
    this.#roster = roster;
  }

  mark({ key, connection, isLastResort }: MarkedLink, now: number): void {
    if (isLastResort) this.#links.set(key, connection);
    else {
      this.#links.delete(key);
      this.#roster.mark(key, connection, now);
    }
    if (this.#links.size === 0) return;
    const isSpared = this.#isAnyReady();
    for (const [each, own] of this.#links) this.#roster.mark(each, isSpared ? own : 'ready', now);
  }

  forget(key: string): void {
    this.#links.delete(key);
  }

  #isAnyReady(): boolean {
    for (const { key, connection } of this.#roster.members())
      if (connection === 'ready' && !this.#links.has(key)) return true;
    return false;
  }
}
