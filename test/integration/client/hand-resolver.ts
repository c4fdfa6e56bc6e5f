import type { ResolvedBackend, Resolver, ResolverListener } from '../../../src/client/index.js';

/** A list that is changed by hand. */
export class HandResolver implements Resolver {
  readonly name = 'hand';
  refreshes = 0;
  closed = 0;
  #listener: ResolverListener | undefined;
  #first: readonly ResolvedBackend[] | undefined;

  constructor(first?: readonly string[]) {
    this.#first = first?.map((url) => ({ url }));
  }

  start(listener: ResolverListener): void {
    this.#listener = listener;
    if (this.#first !== undefined) listener.onBackends(this.#first);
  }

  set(...backends: (string | ResolvedBackend)[]): void {
    this.#listener!.onBackends(backends.map((each) => (typeof each === 'string' ? { url: each } : each)));
  }

  fail(message: string): void {
    this.#listener!.onError(new Error(message));
  }

  refresh(): void {
    this.refreshes++;
  }

  close(): void {
    this.closed++;
  }
}
