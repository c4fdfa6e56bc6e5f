import { Dispatcher, errors } from 'undici';
import type { Service } from '../service/service.js';
import { Exchange } from './exchange.js';
import { toResponseHandler } from './handler.js';
import { hopOf } from './hop.js';
import { Outgoing } from './outgoing.js';
import type { Sending } from './sending.js';

/**
 * An undici `Dispatcher` whose origin is a service: whatever is built on undici (`fetch`, `request`, interceptors, agents
 * of libraries) sends to the right backend by it, unchanged.
 */
export class BalancingDispatcher extends Dispatcher {
  readonly #service: Service;
  /** Names the service where a caller gives only a path. */
  readonly #origin: string;
  #closing: Promise<void> | undefined = undefined;

  constructor(service: Service, origin: string) {
    super();
    this.#service = service;
    this.#origin = origin;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const receiver = toResponseHandler(handler);
    try {
      if (this.#closing !== undefined) throw new errors.ClientClosedError();
      const sending = options as Sending;
      checkPath(sending);
      const { environment, settings } = this.#service;
      const now = environment.monotonicMs();
      const hop = hopOf(sending, settings.hop, now);
      const outgoing = new Outgoing(sending, hop, this.#hostOf(sending), settings.retry.maxBodyBytes);
      new Exchange(this.#service, outgoing, receiver, now).start(now);
    } catch (error) {
      receiver.onError(error as Error);
    }
    // There is always room for one more here: what there is no room for is refused, and does not wait.
    return true;
  }

  /** What the caller calls the service, when that is not only a path. */
  #hostOf({ origin }: Sending): string | undefined {
    if (origin === undefined || origin === this.#origin) return undefined;
    const url = typeof origin === 'string' ? new URL(origin) : origin;
    return url.origin === this.#origin ? undefined : url.host;
  }

  override close(callback?: () => void): Promise<void> {
    this.#closing ??= this.#service.close();
    return this.#after(this.#closing, callback);
  }

  override destroy(...args: unknown[]): Promise<void> {
    const error = args.find((arg) => arg instanceof Error);
    const callback = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
    const destroyed = this.#service.destroy(error as Error | undefined);
    this.#closing ??= destroyed;
    return this.#after(destroyed, callback);
  }

  #after(done: Promise<void>, callback: (() => void) | undefined): Promise<void> {
    return callback === undefined ? done : done.then(callback);
  }
}

/** A whole URL would be sent as such, and a backend that is a proxy go wherever it says (RFC 9112, 3.2.2). */
function checkPath({ path, method }: Sending): void {
  const isOther = method === 'CONNECT' || (method === 'OPTIONS' && path === '*');
  if (!isOther && !(typeof path === 'string' && path.startsWith('/')))
    throw new errors.InvalidArgumentError('path must begin with a slash');
}
