import type { Quota } from '../../../src/quota/index.js';

/** A quota, as far as requests see it: of the sources or of the package, whose private parts are not the same to a compiler. */
export interface Enforcing {
  readonly enforcement: Pick<Quota['enforcement'], 'admit' | 'charge'>;
}

export interface Served {
  admitted: number;
  refused: number;
}

/** Requests that cost 1 each, evenly in time, to one or several backends in this process: no servers, only quotas. */
export class Traffic {
  readonly #timer: NodeJS.Timeout;
  readonly #streams: { customer: string; backends: readonly Enforcing[]; perSecond: number; owed: number }[] =
    [];
  readonly #served = new Map<string, Served>();
  #lastMs = performance.now();
  #turn = 0;

  constructor() {
    this.#timer = setInterval(() => this.#send(), 2);
  }

  /** From now on, spread over the backends in turn. */
  add(customer: string, backends: readonly Enforcing[], perSecond: number): void {
    this.#streams.push({ customer, backends, perSecond, owed: 0 });
  }

  /** What became of a customer's requests since the last call. */
  take(customer: string): Served {
    const served = this.#served.get(customer) ?? { admitted: 0, refused: 0 };
    this.#served.delete(customer);
    return served;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    const now = performance.now();
    // A machine that stood still does not make up for it.
    const seconds = Math.min(0.1, (now - this.#lastMs) / 1_000);
    this.#lastMs = now;
    for (const stream of this.#streams) {
      stream.owed += stream.perSecond * seconds;
      for (; stream.owed >= 1; stream.owed--) this.#one(stream.customer, stream.backends, now);
    }
  }

  #one(customer: string, backends: readonly Enforcing[], now: number): void {
    const { enforcement } = backends[this.#turn++ % backends.length]!;
    const served = this.#served.get(customer) ?? { admitted: 0, refused: 0 };
    this.#served.set(customer, served);
    if (enforcement.admit(customer, 'CRITICAL', Math.random(), now) === 'admit') {
      served.admitted++;
      enforcement.charge(customer, 'CRITICAL', 1, now);
    } else served.refused++;
  }
}
