import { heedless } from '../stores/redis/heedless.js';

/** What has happened to a gateway, as plain data: it goes to logs, to readers of the admin port and from worker to primary. */
export type GatewayEvent =
  | { readonly kind: 'lame-duck' }
  | { readonly kind: 'drain' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'reload-failed'; readonly reason: string }
  /** A client sees a backend in another state: connecting, ready, lame-duck, refusing, ejected; or it is gone. */
  | {
      readonly kind: 'backend';
      readonly service: string;
      readonly backend: string;
      readonly state: string;
      readonly before: string;
    }
  /** The backends of a service cannot be found out; without a `reason` they can again. `known`: of those that were found before. */
  | {
      readonly kind: 'resolver';
      readonly service: string;
      readonly reason: string | undefined;
      readonly known: number;
    }
  /** Whether the store that limits count in answers. */
  | { readonly kind: 'limit-store'; readonly isReachable: boolean }
  | { readonly kind: 'quota-coordinator'; readonly isCoordinator: boolean }
  | { readonly kind: 'quota-stage'; readonly stage: string }
  | { readonly kind: 'worker-started'; readonly worker: number; readonly pid: number }
  | {
      readonly kind: 'worker-died';
      readonly worker: number;
      readonly code: number | null;
      readonly signal: string | null;
    };

export type GatewayEventListener = (event: GatewayEvent) => void;

/** Tells whoever listens. What a listener throws does not reach those who tell. */
export class GatewayEvents {
  readonly #listeners = new Set<GatewayEventListener>();

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Until the returned function is called. */
  on(listener: GatewayEventListener): () => void {
    // One of its own: the same function may be given twice.
    const own: GatewayEventListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  emit(event: GatewayEvent): void {
    for (const listener of this.#listeners) heedless(() => listener(event));
  }
}
