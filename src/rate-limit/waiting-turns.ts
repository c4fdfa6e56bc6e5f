import { elapsedMs, RejectedError } from '../core/index.js';

/** Longer ones fire at once. */
const MOST_TIMER_MS = 2 ** 31 - 1;

/**
 * Those who wait for their turn. Their timers keep the process alive, unlike all others of a limiter: somebody awaits them,
 * and a program that ends in the middle of an `await` has not done its work.
 */
export class WaitingTurns {
  readonly #waiting = new Set<(error: RejectedError) => void>();

  /** Resolves after so long; rejects when the signal says so, or all are sent away. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      let timer: NodeJS.Timeout;
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(sendAway);
      };
      const abort = () => {
        end();
        reject(signal?.reason);
      };
      const sendAway = (error: RejectedError) => {
        end();
        reject(error);
      };
      // Timers of Node may be early by a millisecond, and there is a longest one.
      const look = () => {
        const leftMs = ms - elapsedMs(sinceMs, performance.now());
        if (leftMs > 0) timer = setTimeout(look, Math.min(MOST_TIMER_MS, Math.ceil(leftMs)));
        else {
          end();
          resolve();
        }
      };
      this.#waiting.add(sendAway);
      signal?.addEventListener('abort', abort, { once: true });
      look();
    });
  }

  close(): void {
    const error = closedError();
    for (const sendAway of [...this.#waiting]) sendAway(error);
  }
}

export function closedError(): RejectedError {
  return new RejectedError('PLIMSOLL_LIMITED', 'the limiter is closed', { retry: 'no' });
}
