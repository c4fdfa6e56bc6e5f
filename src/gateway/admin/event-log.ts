import type { GatewayEvent } from '../gateway-events.js';
import { sseMessage } from './sse.js';

/** A reader that comes back after a minute has missed no more of what is worth telling. */
const MOST_KEPT = 100;

interface Kept {
  readonly at: number;
  readonly message: string;
}

/**
 * What has happened lately, as messages. Their ids count up from a mark of this process: whoever comes back with one of
 * another process is told nothing twice, and misses nothing that this one knows.
 */
export class EventLog {
  readonly #mark: string;
  readonly #kept: Kept[] = [];
  #count = 0;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** The id of what happened last. */
  get lastId(): string {
    return `${this.#mark}-${this.#count}`;
  }

  add({ kind, ...fields }: GatewayEvent, atMs: number): string {
    this.#count++;
    const message = sseMessage(kind, this.lastId, JSON.stringify({ atMs, ...fields }));
    this.#kept.push({ at: this.#count, message });
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
    return message;
  }

  /** What somebody has missed who has seen this id last; nothing for those who come for the first time. */
  since(id: string | undefined): string[] {
    if (id === undefined) return [];
    const [, mark, count] = /^(.*)-(\d{1,15})$/.exec(id) ?? [];
    const seen = mark === this.#mark ? Number(count) : 0;
    return this.#kept.filter(({ at }) => at > seen).map(({ message }) => message);
  }
}
