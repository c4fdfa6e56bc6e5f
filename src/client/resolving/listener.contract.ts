import type { ResolvedBackend, ResolverListener } from './resolver.js';

/** A listener that remembers. */
export class Heard implements ResolverListener {
  readonly lists: (readonly ResolvedBackend[])[] = [];
  readonly errors: Error[] = [];

  onBackends(backends: readonly ResolvedBackend[]): void {
    this.lists.push(backends);
  }

  onError(error: Error): void {
    this.errors.push(error);
  }

  get urls(): readonly string[] | undefined {
    return this.lists.at(-1)?.map(({ url }) => url);
  }
}
