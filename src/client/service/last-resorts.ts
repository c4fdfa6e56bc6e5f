import type { ConnectionState, Roster } from '../../core/index.js';

/** What is to be known of a link. */
export interface MarkedLink {
  readonly key: string;
  readonly connection: ConnectionState;
  /** A lame duck perhaps: it has said GOAWAY, which servers also say to end one old connection. */
  readonly isLastResort: boolean;
}

/**
 * Tells a roster of links. Lame ducks on no more than a hint are sent to nevertheless when no other backend is ready: a
 * connection that was merely old must not cost a request.
 */
export class LastResorts {
  readonly #roster: Roster;
  readonly #keys = new Set<string>();

  constructor(roster: Roster) {
    this.#roster = roster;
  }

  mark({ key, connection, isLastResort }: MarkedLink, now: number): void {
    if (isLastResort) this.#keys.add(key);
    else {
      this.#keys.delete(key);
      this.#roster.mark(key, connection, now);
    }
    if (this.#keys.size === 0) return;
    const state = this.#isAnyReady() ? 'lame-duck' : 'ready';
    for (const each of this.#keys) this.#roster.mark(each, state, now);
  }

  forget(key: string): void {
    this.#keys.delete(key);
  }

  #isAnyReady(): boolean {
    for (const { key, connection } of this.#roster.members())
      if (connection === 'ready' && !this.#keys.has(key)) return true;
    return false;
  }
}
