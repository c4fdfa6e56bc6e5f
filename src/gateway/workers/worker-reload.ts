import type { Gateway } from '../gateway.js';
import type { SentSettings } from './reload-all.js';

/** The primary says at once what is to become of them; it may hang, and what waits must not wait for ever. */
const MOST_WAIT_MS = 60_000;

interface Pending {
  readonly apply: () => void;
  readonly discard: (reason: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Other settings in a worker: made when the primary says so, used when it says so again. */
export class WorkerReload {
  readonly #gateway: Pick<Gateway, 'reload'>;
  #pending: Pending | undefined = undefined;
  #reloading: Promise<void> = Promise.resolve();

  constructor(gateway: Pick<Gateway, 'reload'>) {
    this.#gateway = gateway;
  }

  /** Resolves when all is made. Rejects when it cannot be; then nothing has changed. */
  prepare({ settings }: SentSettings): Promise<void> {
    this.discard();
    return new Promise((resolve, reject) => {
      this.#reloading = this.#gateway.reload(settings, () => {
        resolve();
        return this.#word();
      });
      // Once it is made, this is too late to be heard.
      this.#reloading.catch(reject);
    });
  }

  /** Resolves when they hold. */
  async apply(): Promise<void> {
    const pending = this.#take();
    if (pending === undefined) throw new Error('no settings are prepared');
    pending.apply();
    await this.#reloading;
  }

  discard(): void {
    this.#take()?.discard(new Error('other workers cannot hold them'));
  }

  /** What the primary says. */
  #word(): Promise<void> {
    return new Promise((apply, discard) => {
      const timer = setTimeout(() => discard(new Error('the primary does not answer')), MOST_WAIT_MS).unref();
      this.#pending = { apply, discard, timer };
    });
  }

  #take(): Pending | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    clearTimeout(pending?.timer);
    return pending;
  }
}
