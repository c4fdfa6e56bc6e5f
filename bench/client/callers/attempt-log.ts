import { subscribe } from 'node:diagnostics_channel';

/** As the client publishes it: one object for all attempts of a request. */
interface Published {
  readonly request: { readonly sending: { readonly method: string } };
  readonly backend: string;
  readonly outcome?: string;
  readonly state?: string;
  readonly error?: Error;
}

interface PostAttempt {
  readonly backend: string;
  readonly startedMs: number;
  endedMs: number;
}

/** A POST that failed, and which backend took it last. */
interface FailedPost {
  readonly backend: string;
}

export interface KillWatch {
  readonly url: string;
  /** Of the machine's clock: when the signal was sent, and when the process was gone. */
  readonly killedMs: number;
  readonly exitedMs: number;
}

/** What one client process saw of a backend's end. */
export interface KillSeen {
  /** POSTs that were at that backend then. */
  readonly underWay: number;
  readonly failed: number;
  /** Failed at backends that nobody has killed. */
  readonly failedElsewhere: number;
}

/** How a client fares with one backend; instants are of the machine's clock. */
export interface BackendUse {
  readonly sent: number;
  readonly lastSentMs: number;
  readonly answered: number;
}

const UNUSED: BackendUse = { sent: 0, lastSentMs: 0, answered: 0 };

/** The same in all processes of a machine. */
export function machineMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Who was sent where, from what the client publishes; which POSTs, only while somebody wants to know. */
export class AttemptLog {
  readonly #current = new Map<object, PostAttempt>();
  /** All since somebody began to watch; undefined when nobody does. */
  #seen: PostAttempt[] | undefined = undefined;
  #failed: FailedPost[] = [];
  /** What each backend was to the client, and since when. */
  readonly #states = new Map<string, { readonly state: string; readonly sinceMs: number }>();
  /** How each failed attempt of a request ended, for whoever looks for the reason. */
  readonly #histories = new WeakMap<object, string[]>();
  readonly endings: string[] = [];
  readonly #uses = new Map<string, BackendUse>();

  constructor() {
    subscribe('plimsoll:client:attempt', (message) => this.#onAttempt(message as Published));
    subscribe('plimsoll:client:outcome', (message) => this.#onOutcome(message as Published));
    subscribe('plimsoll:client:backend-state', (message) => this.#onState(message as Published));
    subscribe('plimsoll:client:end', (message) => this.#onEnd(message as Published));
  }

  useOf(backend: string): BackendUse {
    return this.#uses.get(backend) ?? UNUSED;
  }

  #onAttempt({ request, backend }: Published): void {
    const use = this.useOf(backend);
    this.#uses.set(backend, { ...use, sent: use.sent + 1, lastSentMs: machineMs() });
    if (request.sending.method !== 'POST') return;
    const attempt = { backend, startedMs: machineMs(), endedMs: Number.POSITIVE_INFINITY };
    this.#current.set(request, attempt);
    this.#seen?.push(attempt);
  }

  #onOutcome({ request, backend, outcome }: Published): void {
    const attempt = this.#current.get(request);
    if (attempt !== undefined) attempt.endedMs = machineMs();
    this.#current.delete(request);
    if (outcome === 'answered') {
      const use = this.useOf(backend);
      this.#uses.set(backend, { ...use, answered: use.answered + 1 });
      return;
    }
    const history = this.#histories.get(request) ?? [];
    history.push(`${outcome} at ${backend} (${this.#stateOf(backend)})`);
    this.#histories.set(request, history);
    if (this.#seen !== undefined && attempt !== undefined && outcome === 'broken')
      this.#failed.push({ backend });
  }

  #onState({ backend, state }: Published): void {
    this.#states.set(backend, { state: state!, sinceMs: performance.now() });
  }

  #stateOf(backend: string): string {
    const known = this.#states.get(backend);
    return known === undefined
      ? 'never heard of'
      : `${known.state} for ${Math.round(performance.now() - known.sinceMs)} ms`;
  }

  #onEnd({ request, error }: Published): void {
    if (error === undefined || this.endings.length >= MOST_ENDINGS) return;
    const history = this.#histories.get(request)?.join(', ') ?? 'never sent';
    this.endings.push(`${request.sending.method}: ${history}; ${error.message}`);
  }

  /** Forgets what is over. */
  begin(): void {
    this.#seen = [...this.#current.values()];
    this.#failed = [];
  }

  look({ url, killedMs, exitedMs }: KillWatch): KillSeen {
    const underWay = (this.#seen ?? []).filter(
      ({ backend, startedMs, endedMs }) => backend === url && startedMs <= exitedMs && endedMs >= killedMs,
    );
    const here = this.#failed.filter(({ backend }) => backend === url);
    return {
      underWay: underWay.length,
      failed: here.length,
      failedElsewhere: this.#failed.length - here.length,
    };
  }
}

/** Enough to see why; a client that fails all of its requests has one reason. */
const MOST_ENDINGS = 20;
