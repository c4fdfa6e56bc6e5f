import { cut } from './cells.js';
import { plain } from './plain.js';

/** Something that has happened to a gateway. */
export interface SeenEvent {
  readonly kind: string;
  readonly atMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MOST_KEPT = 50;

/** What has happened lately. */
export class SeenEvents {
  #kept: SeenEvent[] = [];

  add(event: SeenEvent): void {
    this.#kept = [...this.#kept, event].slice(-MOST_KEPT);
  }

  /** The newest first. */
  latest(count: number): readonly SeenEvent[] {
    return this.#kept.slice(-count).reverse();
  }
}

/** `12:00:03 backend http://10.0.0.1 ready → lame-duck`. */
export function eventLine({ kind, atMs, fields }: SeenEvent, width: number): string {
  const time = new Date(atMs).toTimeString().slice(0, 8);
  const { before, state, ...rest } = fields;
  const change = before === undefined ? '' : ` ${before} → ${state}`;
  const others = Object.entries(rest)
    .filter(([name]) => name !== 'service')
    .map(([name, value]) => (name === 'backend' ? ` ${value}` : ` ${name} ${value}`));
  return cut(plain(`${time} ${kind}${others.join('')}${change}`), width);
}

/** Reads server-sent events (WHATWG HTML, 9.2) as they come, in pieces of any length. */
export class EventParser {
  #rest = '';

  read(text: string): SeenEvent[] {
    const blocks = `${this.#rest}${text}`.split('\n\n');
    this.#rest = blocks.pop()!;
    return blocks.flatMap((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const [kind, data] = [field('event'), field('data')];
      if (kind === undefined || data === undefined) return [];
      const { atMs = 0, ...fields } = JSON.parse(data) as { atMs?: number };
      return [{ kind, atMs, fields }];
    });
  }
}
