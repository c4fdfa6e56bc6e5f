import { Dispatcher, FormData } from 'undici';
import { toResponseHandler } from './handler.js';
import type { CallOptions } from './hop.js';

/** What one `fetch` says of its requests: of the first, and of those that follow it when it is redirected. */
export class FetchDispatcher extends Dispatcher {
  readonly #base: Dispatcher;
  readonly #origin: string;
  readonly #call: CallOptions;
  readonly #body: string | Uint8Array | undefined;
  readonly #isCalled: (host: string) => boolean;

  /**
   * `body`: as the caller gave it, when it can be sent as it is. `fetch` makes a stream of everything. `isCalled`: whether a
   * host is the service's: servers redirect to the name that they were called by.
   */
  constructor(
    base: Dispatcher,
    origin: string,
    call: CallOptions,
    body: string | Uint8Array | undefined,
    isCalled: (host: string) => boolean,
  ) {
    super();
    this.#isCalled = isCalled;
    this.#base = base;
    this.#origin = origin;
    this.#call = call;
    this.#body = body;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { origin, body } = options;
    // Elsewhere is not here: our backends would be asked for what another service has, under its name.
    const url = origin === undefined ? undefined : new URL(origin);
    const isOurs = url === undefined || url.origin === this.#origin || this.#isCalled(url.host);
    if (!isOurs) {
      const message = `redirected to ${String(origin)}, which is not this client's service: follow it yourself`;
      toResponseHandler(handler).onError(new RangeError(message));
      return true;
    }
    // A stream that begins with it can be sent once; itself, as often as it takes.
    const sent = body === null || body === undefined ? body : (this.#body ?? body);
    const own = { ...options, ...this.#call, origin: this.#origin, body: sent };
    return this.#base.dispatch(own as Dispatcher.DispatchOptions, handler);
  }
}

/** A body that `fetch` would send just so, byte by byte. */
export function plainBody(body: unknown): string | Uint8Array | undefined {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return body instanceof URLSearchParams ? body.toString() : undefined;
}

/** A form of the built-in kind, which is another class than undici's, as one of undici's. Anything else stays. */
export function toUndiciBody<T>(body: T): T | FormData {
  const isForm =
    typeof body === 'object' && body !== null && (body as object)[Symbol.toStringTag as never] === 'FormData';
  if (!isForm || body instanceof FormData) return body;
  const form = new FormData();
  for (const [name, value] of body as unknown as FormData) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, value.name);
  }
  return form;
}
