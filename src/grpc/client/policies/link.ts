import { BACKOFF_DEFAULTS } from '../../../client/connections/backoff.js';
import type { MarkedLink } from '../../../client/service/last-resorts.js';
import type { ConnectionState } from '../../../core/index.js';
import {
  type ChannelControlHelper,
  type ChannelOptions,
  type Endpoint,
  type Grpc,
  IDLE,
  type LeafLoadBalancer,
  type PickArgs,
  type PickResult,
  READY,
  TRANSIENT_FAILURE,
} from './grpc-api.js';

/** Grpc-js waits 1 s and then up to 2 min: a backend that was replaced would be found much later than it is there. */
const BACKOFF: ChannelOptions = {
  'grpc.initial_reconnect_backoff_ms': BACKOFF_DEFAULTS.firstMs,
  'grpc.max_reconnect_backoff_ms': BACKOFF_DEFAULTS.mostMs,
};

/** The connection to one backend, kept up by a leaf policy of grpc-js. */
export class Link implements MarkedLink {
  readonly key: string;
  readonly #child: LeafLoadBalancer;
  error: string | undefined = undefined;
  #state: number = IDLE;
  /** It could not be reached, and has not been since. */
  #hasFailed = false;
  #isLame = false;
  #lameTimer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;

  constructor(
    key: string,
    endpoint: Endpoint,
    parts: { readonly grpc: Grpc; readonly helper: ChannelControlHelper; readonly options: ChannelOptions },
    onChange: (link: Link, wasReady: boolean) => void,
  ) {
    const { createChildChannelControlHelper, LeafLoadBalancer } = parts.grpc.experimental;
    this.key = key;
    const helper = createChildChannelControlHelper(parts.helper, {
      updateState: (state, _picker, error) => {
        if (this.#isClosed) return;
        const wasReady = this.#state === READY;
        this.#onState(state, error ?? undefined);
        onChange(this, wasReady);
      },
    });
    this.#child = new LeafLoadBalancer(endpoint, helper, { ...BACKOFF, ...parts.options }, '');
  }

  get connection(): ConnectionState {
    if (this.#state === READY) return this.#isLame ? 'lame-duck' : 'ready';
    return this.#hasFailed ? 'refusing' : 'connecting';
  }

  /** It serves, though it would rather not: better than nobody. */
  get isLastResort(): boolean {
    return this.connection === 'lame-duck';
  }

  /** Nothing speaks against it, and a connection is being tried: for the first time, or because the last one ended. */
  get isBeingTried(): boolean {
    return this.connection === 'connecting';
  }

  open(): void {
    this.#child.startConnecting();
  }

  /** Keeps it connected: leaves rest when their connection has ended. */
  wake(): void {
    if (this.#state === IDLE) this.#child.exitIdle();
  }

  pick(args: PickArgs): PickResult {
    return this.#child.getPicker().pick(args);
  }

  /** It wants no new calls: until it is connected to anew, or the time is over, whereupon `onOver` is told. */
  setLame(forMs: number, onOver: () => void): boolean {
    if (this.#state !== READY || this.#isLame) return false;
    this.#isLame = true;
    this.#lameTimer = setTimeout(() => {
      this.#isLame = false;
      onOver();
    }, forMs).unref();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#lameTimer);
    this.#child.destroy();
  }

  #onState(state: number, error: string | undefined): void {
    // A connection that has ended, and one that is new: what was said on the old one is over.
    if (state !== READY && this.#isLame) {
      this.#isLame = false;
      clearTimeout(this.#lameTimer);
    }
    if (state === READY) this.#hasFailed = false;
    if (state === TRANSIENT_FAILURE) this.#hasFailed = true;
    if (error !== undefined) this.error = error;
    this.#state = state;
  }
}
