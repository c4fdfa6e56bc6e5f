import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RequestContext } from '../context/index.js';
import type { RequestView } from '../rate-limit/index.js';
import { isThenable, type MaybePromise } from '../rate-limit/maybe-promise.js';
import { UNMETERED } from './early-look.js';
import type { ForwardTarget } from './forwarding/index.js';
import type { Generation } from './generation.js';
import type { LiveRoute } from './live-route.js';
import { type Answer, unauthorized } from './problems.js';
import type { GatewayView } from './route-limits.js';
import type { Found } from './routing/index.js';

/** Who nobody knows is called so, by the guard too. */
export const ANONYMOUS = 'anonymous';

const FAILED: Answer = Object.freeze({ status: 500, headers: ['content-length', '0'], body: '' });

/**
 * One request from its route to its backend: who asks, whether limits let it pass, and off it goes. It does not wait
 * where there is nothing to wait for.
 */
export abstract class Exchange {
  readonly #generation: Generation;
  readonly #found: Found<LiveRoute>;
  readonly #view: RequestView;
  readonly #onError: (error: unknown) => void;
  #isHeld = false;
  protected readonly req: IncomingMessage;

  constructor(
    generation: Generation,
    found: Found<LiveRoute>,
    view: RequestView,
    req: IncomingMessage,
    onError: (error: unknown) => void,
  ) {
    this.#generation = generation;
    this.#found = found;
    this.#view = view;
    this.#onError = onError;
    this.req = req;
  }

  /** What the guard knows of it; undefined when it holds it no longer. */
  protected abstract get served(): RequestContext | undefined;
  /** Nobody is left to be answered. */
  protected abstract get isGone(): boolean;
  protected abstract answer(answer: Answer): void;
  /** Said with whatever is answered later: names and values in turn. */
  protected abstract addHeaders(headers: readonly string[]): void;
  /** `release` is to be called when it has been sent on, or is over. */
  protected abstract send(target: ForwardTarget, release: () => void): void;

  get route(): LiveRoute {
    return this.#found.route;
  }

  /** Never throws. */
  start(): void {
    this.route.counts.requests++;
    this.#generation.hold();
    this.#isHeld = true;
    try {
      const customer = this.#customer();
      if (!isThenable(customer)) this.#goOn(customer);
      else customer.then((known) => this.#goOn(known)).then(undefined, (error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #customer(): MaybePromise<string | undefined> {
    const { identity } = this.#generation;
    const early = this.served?.customer;
    if (early === undefined || early === UNMETERED) return identity.full(this.req);
    if (early !== ANONYMOUS) return early;
    return identity.isLate ? identity.late(this.req) : undefined;
  }

  #goOn(customer: string | undefined): void {
    const { mustBeKnown, limits, counts } = this.route;
    if (mustBeKnown && customer === undefined) {
      counts.unknown++;
      this.#end(unauthorized(this.#generation.scheme));
    } else if (limits === undefined) this.#send(customer);
    else {
      const view: GatewayView = { ...this.#view, address: this.#address(), customer: customer ?? ANONYMOUS };
      limits
        .judge(view)
        .then((verdict) => {
          if (verdict === undefined) this.#end(FAILED);
          else if (verdict.answer !== undefined) {
            counts.limited++;
            this.#end(verdict.answer);
          } else {
            if (!this.isGone) this.addHeaders(verdict.headers);
            this.#send(customer);
          }
        })
        .then(undefined, (error: unknown) => this.#fail(error));
    }
  }

  #send(customer: string | undefined): void {
    if (this.isGone) this.#release();
    else this.send(this.#target(customer), this.#release);
  }

  #end(answer: Answer): void {
    this.#release();
    if (!this.isGone) this.answer(answer);
  }

  /** Nothing that goes wrong here may leave a client without an end, or end the process. */
  #fail(error: unknown): void {
    this.#onError(error);
    try {
      this.#end(FAILED);
    } catch {
      this.req.destroy();
    }
  }

  /** Once, whatever happens. */
  readonly #release = (): void => {
    if (this.#isHeld) this.#generation.release();
    this.#isHeld = false;
  };

  #target(customer: string | undefined): ForwardTarget {
    const { route, path, query } = this.#found;
    const { socket, headers } = this.req;
    const { rewrite, service, host, maxBodyBytes, timeoutMs, requestHeaders, answerHeaders } = route;
    const isEncrypted = (socket as Partial<TLSSocket>).encrypted === true;
    return {
      client: service.client,
      path: (rewrite === undefined ? path.path : rewrite.apply(path)) + query,
      host,
      maxBodyBytes,
      timeoutMs,
      clientAddress: this.#address(),
      protocol: this.#generation.proxies.protocolOf(isEncrypted, socket.remoteAddress, headers),
      requestHeaders,
      answerHeaders,
      // What was found out only now; what the guard knows goes along by itself.
      customer: customer ?? (this.#isUnmetered ? ANONYMOUS : undefined),
      ...this.own(),
    };
  }

  /** What else this kind has to say. */
  protected own(): Partial<ForwardTarget> {
    return {};
  }

  get #isUnmetered(): boolean {
    return this.served?.customer === UNMETERED;
  }

  #address(): string | undefined {
    const { remoteAddress } = this.req.socket;
    const { proxies } = this.#generation;
    return proxies.isNone ? remoteAddress : proxies.addressOf(remoteAddress, this.req.headers);
  }
}
