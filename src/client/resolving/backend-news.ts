import { areSame, normaliseBackends } from './backends.js';
import type { ResolvedBackend, ResolverListener } from './resolver.js';

/**
 * What the listener of a resolver is told: only what is right, only what is new, nothing after the end. A listener
 * that throws is told of its own error; it must not end the loop that looks.
 */
export class BackendNews {
  #listener: ResolverListener | undefined;
  #last: readonly ResolvedBackend[] | undefined;
  #lastProblem: string | undefined;
  #hasFailed = false;
  #isClosed = false;

  /** What it is called in messages. */
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  listen(listener: ResolverListener): void {
    if (this.#listener !== undefined) throw new Error(`the resolver of ${this.#source} has been started`);
    if (this.#isClosed) throw new Error(`the resolver of ${this.#source} has been closed`);
    this.#listener = listener;
  }

  /** All there are now. An empty list is believed; one in which everything is wrong is not. */
  tell(given: readonly unknown[]): void {
    const { backends, dropped, problem } = normaliseBackends(given);
    if (backends.length > 0 || given.length === 0) this.#tellBackends(backends, problem === undefined);
    this.#tellProblem(
      problem === undefined ? undefined : `${dropped} of ${given.length} left out: ${problem}`,
    );
  }

  #tellBackends(backends: readonly ResolvedBackend[], isRight: boolean): void {
    // Also the same again, when something was wrong in between: that is over now.
    const isNews = this.#hasFailed || (isRight && this.#lastProblem !== undefined);
    if (this.#isClosed || (!isNews && this.#last !== undefined && areSame(this.#last, backends))) return;
    this.#last = backends;
    this.#hasFailed = false;
    try {
      this.#listener?.onBackends(backends);
    } catch (error) {
      this.#report(error);
    }
  }

  fail(error: unknown): void {
    this.onFailure();
    this.#report(error);
  }

  /** The source has told of a failure by itself: the same list again then says that it is over. */
  onFailure(): void {
    this.#hasFailed = true;
    this.#lastProblem = undefined;
  }

  #report(error: unknown): void {
    if (this.#isClosed) return;
    const reason = error instanceof Error ? error.message : String(error);
    try {
      this.#listener?.onError(new Error(`${this.#source}: ${reason}`, { cause: error }));
    } catch {
      // Nobody is left to be told.
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#listener = undefined;
  }

  /** Once, not with each look that finds the same. */
  #tellProblem(problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#lastProblem) this.#report(problem);
    this.#lastProblem = problem;
  }
}
