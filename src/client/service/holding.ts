import type { Environment } from '../../core/index.js';
import type { Exchange } from '../dispatch/exchange.js';

/** As many as may wait for a free backend: those behind would wait in vain. */
const MOST_HELD = 1_000;

/** Requests made before any backend could be connected to: they wait for the first, and not for long. */
export class Holding {
  readonly #held = new Set<Exchange>();
  readonly #timeoutMs: number;
  readonly #environment: Environment;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isReleasing = false;

  constructor(timeoutMs: number, environment: Environment) {
    this.#timeoutMs = timeoutMs;
    this.#environment = environment;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(exchange: Exchange): boolean {
    if (this.#isReleasing || this.#held.size >= MOST_HELD) return false;
    this.#held.add(exchange);
    this.#timer ??= setTimeout(() => this.release(), this.#timeoutMs);
    return true;
  }

  leave(exchange: Exchange): void {
    this.#held.delete(exchange);
    if (this.#held.size === 0) this.#stop();
  }

  /** They end. */
  fail(error: Error): void {
    const now = this.#environment.monotonicMs();
    for (const exchange of [...this.#held]) exchange.fail(error, now);
  }

  /** They go on, wherever that leads. */
  release(): void {
    if (this.#held.size === 0) return;
    this.#stop();
    const released = [...this.#held];
    this.#held.clear();
    this.#isReleasing = true;
    const now = this.#environment.monotonicMs();
    try {
      for (const exchange of released) exchange.proceed(now);
    } finally {
      this.#isReleasing = false;
    }
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
