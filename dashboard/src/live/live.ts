import { adminUrl } from '../data/admin.js';
import { type Connection, followEvents } from '../data/event-stream.js';
import { type Happening, happeningOf } from '../data/happening.js';
import { History } from '../data/history.js';
import { asOne } from '../data/several-workers.js';
import { hasWorkers, type Snapshot, type WorkersSnapshot } from '../data/snapshot.js';
import type { SseMessage } from '../data/sse-parser.js';

/** So many of what has happened are listed. */
const MOST_HAPPENINGS = 100;
/** A clock that is off by less is as good as right: the header it is seen by has whole seconds. */
const LEAST_SKEW_MS = 2_000;
/** Of all workers together. */
export const ALL_WORKERS = 'all';

/** What the page shows at one moment. */
export interface Live {
  readonly connection: Connection;
  /** Of the chosen worker, or of all. */
  readonly history: History;
  readonly workers: WorkersSnapshot | undefined;
  readonly subject: string;
  /** Newest first. */
  readonly happenings: readonly Happening[];
  readonly token: string | undefined;
}

/** Follows one admin port, and tells the page whenever there is something new. */
export class LiveSource {
  readonly #onChange: (live: Live) => void;
  #live: Live;
  /** One of each worker, and of all: whoever changes from one to another finds the past there. */
  readonly #histories = new Map<string, History>();
  #stop = new AbortController();
  #skewMs = 0;
  #messages: readonly SseMessage[] = [];
  readonly #names = new Map<string, string>();

  constructor(token: string | undefined, onChange: (live: Live) => void) {
    this.#onChange = onChange;
    this.#live = {
      connection: { kind: 'connecting' },
      history: this.#historyOf(ALL_WORKERS),
      workers: undefined,
      subject: ALL_WORKERS,
      happenings: [],
      token,
    };
  }

  get live(): Live {
    return this.#live;
  }

  start(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    const parts = {
      url: adminUrl('events'),
      token: this.#live.token,
      fetch: fetch.bind(globalThis),
      onMessage: (message: SseMessage) => this.#onMessage(message),
      onConnection: (connection: Connection) => this.#tell({ connection }),
      onSkew: (skewMs: number) => {
        this.#skewMs = Math.abs(skewMs) < LEAST_SKEW_MS ? 0 : skewMs;
      },
      pause,
      random: Math.random,
    };
    void followEvents(parts, this.#stop.signal);
  }

  stop(): void {
    this.#stop.abort();
  }

  useToken(token: string): void {
    this.#tell({ token, connection: { kind: 'connecting' } });
    this.start();
  }

  choose(subject: string): void {
    this.#tell({ subject, history: this.#historyOf(subject) });
  }

  #onMessage(message: SseMessage): void {
    if (message.event === 'snapshot') this.#onSnapshot(JSON.parse(message.data));
    else this.#onHappening(message);
  }

  #onSnapshot(snapshot: Snapshot | WorkersSnapshot): void {
    const now = Date.now();
    const workers = hasWorkers(snapshot) ? snapshot : undefined;
    if (hasWorkers(snapshot)) {
      this.#historyOf(ALL_WORKERS).add(asOne(snapshot), now);
      for (const [name, worker] of Object.entries(snapshot.workers)) this.#historyOf(name).add(worker, now);
    } else this.#historyOf(ALL_WORKERS).add(snapshot, now);
    this.#learnNames(snapshot);
    this.#tell({ workers });
  }

  #onHappening(message: SseMessage): void {
    if (message.id !== '' && this.#messages.some(({ id }) => id === message.id)) return;
    this.#messages = [message, ...this.#messages].slice(0, MOST_HAPPENINGS);
    this.#tell({ happenings: this.#happenings() });
  }

  #happenings(): Happening[] {
    const nameOf = (url: string) => this.#names.get(url) ?? url.replace(/^https?:\/\//, '');
    return this.#messages
      .flatMap((message) => happeningOf(message, this.#skewMs, nameOf) ?? [])
      .sort((a, b) => b.atMs - a.atMs);
  }

  /** A backend that has begun anew has another port, and what is told of the old one should still have its name. */
  #learnNames({ demo }: Pick<Snapshot, 'demo'>): void {
    const { size } = this.#names;
    for (const { url, name } of demo?.backends ?? []) this.#names.set(url.replace(/\/$/, ''), name);
    if (this.#names.size > size) this.#tell({ happenings: this.#happenings() });
  }

  #historyOf(name: string): History {
    let history = this.#histories.get(name);
    if (history === undefined) {
      history = new History();
      this.#histories.set(name, history);
    }
    return history;
  }

  #tell(news: Partial<Live>): void {
    this.#live = { ...this.#live, ...news };
    this.#onChange(this.#live);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A page may look for a gateway for days: nothing is left of a pause that is over.
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
