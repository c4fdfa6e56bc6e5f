import type { Backoff } from './backoff.js';

/** Does something after a while, which grows each time until it has worked. */
export class RetryTimer {
  readonly #backoff: Backoff;
  readonly #run: () => void;
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(backoff: Backoff, run: () => void) {
    this.#backoff = backoff;
    this.#run = run;
  }

  /** Unless it runs already. */
  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, this.#backoff.next()).unref();
  }

  /** It worked: the next time is a first one again. */
  reset(): void {
    this.#backoff.reset();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
