import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RequestContext } from '../context/index.js';
import type { RejectedError } from '../core/index.js';
import type { Verdict } from '../rate-limit/index.js';
import { KeysUnavailableError } from '../rate-limit/jwt/remote-keys.js';
import { isThenable, type MaybePromise } from '../rate-limit/maybe-promise.js';
import { RequestFacts, readRequestHeaders, UNMETERED } from '../wire/index.js';
import { type ForwardTarget, PROBLEMS, type ProblemName } from './forwarding/index.js';
import { RequestHead } from './forwarding/request-head.js';
import { requestIdOf } from './forwarding/request-id.js';
import { ANONYMOUS, type GatewayView, type Taken } from './gateway-view.js';
import type { Generation } from './generation.js';
import { refusalBy } from './limit-desk.js';
import type { LiveRoute } from './live-route.js';
import { noteCustomer, noteLimit } from './logging/request-record.js';
import { type Answer, FAILED, notFoundProblem, UNVERIFIED, unauthorized } from './problems.js';
import { queuedFacts } from './queued-facts.js';
import type { GatewayRefusal, RecentGatewayRefusals } from './recent-refusals.js';
import type { Found } from './routing/index.js';

/**
 * One request from its route to its backend: who asks, whether limits let it pass, and off it goes. It does not wait
 * where there is nothing to wait for.
 */
export abstract class Exchange implements Taken {
  readonly #generation: Generation;
  readonly #found: Found<LiveRoute>;
  readonly #view: GatewayView;
  readonly #onError: (error: unknown) => void;
  readonly #refusals: RecentGatewayRefusals;
  #isHeld = false;
  /** What its service is asked for. */
  #asked = '';
  protected readonly req: IncomingMessage;

  constructor(
    generation: Generation,
    found: Found<LiveRoute>,
    view: GatewayView,
    req: IncomingMessage,
    onError: (error: unknown) => void,
    refusals: RecentGatewayRefusals,
  ) {
    this.#generation = generation;
    this.#found = found;
    this.#view = view;
    this.#onError = onError;
    this.#refusals = refusals;
    this.req = req;
  }

  /** What the guard knows of it; undefined when it holds it no longer. */
  protected abstract get served(): RequestContext | undefined;
  /** What its caller says of it is believed. */
  protected abstract get isTrusted(): boolean;
  /** Nobody is left to be answered. */
  protected abstract get isGone(): boolean;
  protected abstract answer(answer: Answer): void;
  /** Said with whatever is answered later: names and values in turn. */
  protected abstract addHeaders(headers: readonly string[]): void;
  /** `release` is to be called when it has been sent on, or is over. */
  protected abstract send(target: ForwardTarget, release: () => void): void;

  /** Whether it was answered in another way, where it would be an error of ours. */
  abstract answersInstead(): boolean;

  get route(): LiveRoute {
    return this.#found.route;
  }

  /** Never throws. */
  start(): void {
    this.route.counts.requests++;
    this.#generation.hold();
    this.#isHeld = true;
    try {
      const asked = this.route.askedOf(this.#found);
      if (asked === undefined) {
        this.#end(notFoundProblem('not-found', this.req.method));
        return;
      }
      this.#asked = asked;
      const customer = this.#customer();
      if (!isThenable(customer)) this.#goOn(customer);
      else
        customer
          .then(
            (known) => this.#goOn(known),
            (error: unknown) => this.#goOnUnverified(error),
          )
          .then(undefined, (error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #customer(): MaybePromise<string | undefined> {
    const { identity } = this.#generation;
    const early = this.served?.customer;
    if (early === undefined || early === UNMETERED) {
      const known = identity.full(this.req);
      return isThenable(known)
        ? known.then((late) => late ?? this.#toldCustomer())
        : (known ?? this.#toldCustomer());
    }
    if (early !== ANONYMOUS) return early;
    return identity.isLate ? identity.late(this.req) : undefined;
  }

  /** The keys of tokens cannot be had: to call it unknown would be to say that its token is bad. */
  #goOnUnverified(error: unknown): void {
    if (!(error instanceof KeysUnavailableError)) throw error;
    const told = this.#toldCustomer();
    if (!this.route.mustBeKnown || told !== undefined) this.#goOn(told);
    else this.#refuseUnknown('unverified', UNVERIFIED);
  }

  #refuseUnknown(reason: 'unknown' | 'unverified', problem: Answer): void {
    this.route.counts[reason]++;
    if (this.#refusals.isWanted(reason)) this.#refused({ reason });
    this.#end(problem);
  }

  /** By whoever is believed: the guard looks at that itself, but not for all. */
  #toldCustomer(): string | undefined {
    return this.isTrusted ? this.#told().customer : undefined;
  }

  /** What it says of itself, believed or not. */
  #told(): RequestFacts {
    const facts = new RequestFacts();
    readRequestHeaders(this.req.rawHeaders, facts);
    return facts;
  }

  #goOn(known: string | undefined): void {
    // Who is said to be nobody known is not known by that.
    const customer = known === ANONYMOUS ? undefined : known;
    const { mustBeKnown, limits } = this.route;
    noteCustomer(this.req, customer);
    this.#view.customer = customer ?? ANONYMOUS;
    if (mustBeKnown && customer === undefined)
      this.#refuseUnknown('unknown', unauthorized(this.#generation.scheme));
    else if (limits === undefined) this.#send(customer);
    else {
      this.#view.address = this.#address();
      this.#view.taken = this;
      const problem = this.route.mayQueue ? this.#whyNotLater(customer) : undefined;
      if (problem !== undefined) {
        this.#end(PROBLEMS[problem]);
        return;
      }
      const verdict = limits.decideNow(this.#view);
      if (!isThenable(verdict)) this.#obey(verdict, customer);
      else
        verdict.then(
          (decided) => this.#obey(decided, customer),
          (error: unknown) => this.#fail(error),
        );
    }
  }

  /** What could not be sent on must not be kept for later, nor take a turn from others. */
  #whyNotLater(customer: string | undefined): ProblemName | undefined {
    const head = new RequestHead();
    const problem = head.read(this.req, this.#target(customer));
    return problem ?? ((head.contentLength ?? 0) > this.route.maxBodyBytes ? 'too-large' : undefined);
  }

  #obey(verdict: Verdict, customer: string | undefined): void {
    try {
      if (verdict.answer !== undefined) {
        this.route.counts.limited++;
        noteLimit(this.req, verdict.rulings);
        if (this.#refusals.isWanted('limited')) this.#limited(verdict);
        this.#end(verdict.answer);
      } else {
        if (!this.isGone) this.addHeaders(verdict.headers);
        this.#send(customer);
      }
    } catch (error) {
      this.#fail(error);
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

  #limited(verdict: Verdict): void {
    const over = refusalBy(verdict, this.#generation.settings);
    if (over !== undefined) this.#refused({ reason: 'limited', ...over });
  }

  /** The client of its service has not sent it, or found nobody who takes it. */
  onRejected({ code, retryAfterMs }: RejectedError): void {
    if (this.#refusals.isWanted(code)) this.#refused({ reason: code, retryAfterMs });
  }

  #refused(refusal: Omit<GatewayRefusal, 'atMs'>): void {
    const { name, service } = this.route;
    const { customer } = this.#view;
    const criticality = this.served?.criticality;
    this.#refusals.add({ route: name, service: service.name, customer, criticality, ...refusal });
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
    const { route } = this;
    const { service, host, maxBodyBytes, timeoutMs, requestHeaders, answerHeaders } = route;
    return {
      client: service.client,
      path: this.#asked,
      host,
      maxBodyBytes,
      timeoutMs,
      clientAddress: this.#address(),
      protocol: this.#protocol(),
      requestHeaders,
      answerHeaders,
      // What was found out only now; what the guard knows goes along by itself.
      customer: customer ?? (this.#isToldByGuard ? undefined : ANONYMOUS),
      sender: this,
    };
  }

  /** For whoever performs it later, when nobody is left to be asked. */
  get facts(): Readonly<Record<string, string>> {
    const criticality = this.served?.criticality ?? this.route.criticality.decide(undefined, undefined);
    return queuedFacts({
      route: this.route.name,
      customer: this.#view.customer,
      criticality,
      address: this.#address(),
      protocol: this.#protocol(),
      requestId: requestIdOf(this.req),
    });
  }

  get secretHeaders(): readonly string[] {
    return this.#generation.identity.secretHeaders;
  }

  /** It is of no use without its connection. */
  get cannotWait(): boolean {
    return false;
  }

  get #isToldByGuard(): boolean {
    return this.served !== undefined && this.served.customer !== UNMETERED;
  }

  #address(): string | undefined {
    const { remoteAddress } = this.req.socket;
    const { proxies } = this.#generation;
    return proxies.isNone ? remoteAddress : proxies.addressOf(remoteAddress, this.req);
  }

  #protocol(): 'http' | 'https' {
    const { socket } = this.req;
    const isEncrypted = (socket as Partial<TLSSocket>).encrypted === true;
    return this.#generation.proxies.protocolOf(isEncrypted, socket.remoteAddress, this.req);
  }
}
