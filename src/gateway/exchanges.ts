import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestContext } from '../context/index.js';
import { isClientGone } from '../server/intake/connection-close.js';
import { requestOf } from '../server/intake/guarded-response.js';
import { Exchange } from './exchange.js';
import { type ForwardTarget, forward, forwardUpgrade } from './forwarding/index.js';
import { PROBLEMS } from './forwarding/problem.js';
import { noteStatus } from './logging/request-record.js';
import { type Answer, answer, answerOn } from './problems.js';
import type { RouteCopies } from './route-copies.js';

const NONE: readonly string[] = Object.freeze([]);

type ExchangeParts = ConstructorParameters<typeof Exchange>;

/** A request with an answer. */
export class HttpExchange extends Exchange {
  readonly #res: ServerResponse;
  #own: readonly string[] = NONE;
  /** Whose copies it may have where its service has no answer; undefined: none. */
  #copiesOf: string | undefined = undefined;

  /** One by one, those of its base first: a list of them would be made, and gone through, with each request. */
  constructor(
    generation: ExchangeParts[0],
    found: ExchangeParts[1],
    view: ExchangeParts[2],
    req: ExchangeParts[3],
    onError: ExchangeParts[4],
    refusals: ExchangeParts[5],
    res: ServerResponse,
  ) {
    super(generation, found, view, req, onError, refusals);
    this.#res = res;
  }

  /** Asked of the response itself: it is known there wherever this runs. */
  protected get served(): RequestContext | undefined {
    return requestOf(this.#res);
  }

  /** Found out once for each connection. */
  protected get isTrusted(): boolean {
    return requestOf(this.#res)?.connection.isTrusted === true;
  }

  protected get isGone(): boolean {
    return this.#res.headersSent || isClientGone(this.req, this.#res);
  }

  protected answer(given: Answer): void {
    answer(this.req, this.#res, given);
  }

  protected addHeaders(headers: readonly string[]): void {
    this.#own = headers;
  }

  protected send(target: ForwardTarget, release: () => void): void {
    const { batch, stale } = this.route;
    // What answers in other ways knows of headers by the response; forwarding adds them itself, for less.
    if (stale !== undefined || batch !== undefined) this.#setOwn();
    const isServed = this.#serveStale(target);
    if (!isServed && batch !== undefined) {
      batch.handle(this.req, this.#res, target, release);
      return;
    }
    if (isServed) release();
    else forward(this.req, this.#res, target, this.#own, release);
  }

  #setOwn(): void {
    const own = this.#own;
    for (let i = 0; i + 1 < own.length; i += 2) this.#res.setHeader(own[i]!, own[i + 1]!);
    this.#own = NONE;
  }

  /** When there is too much to do, an old answer is cheaper; else this one may be copied for then. */
  #serveStale({ customer }: ForwardTarget): boolean {
    const { stale } = this.route;
    if (stale === undefined) return false;
    const whose = customer ?? this.served?.customer;
    if (this.served?.degraded !== true) {
      this.#copiesOf = whose;
      stale.capture(this.req, this.#res, whose);
      return false;
    }
    return this.#serveCopy(stale, whose);
  }

  #serveCopy(stale: RouteCopies, whose: string | undefined): boolean {
    const isServed = stale.serve(this.req, this.#res, whose, performance.now());
    if (isServed) this.route.counts.staleServed++;
    return isServed;
  }

  /** Its service has no room, or is not there: that is too much for it, too. */
  answersInstead(): boolean {
    const { stale } = this.route;
    return stale !== undefined && this.#copiesOf !== undefined && this.#serveCopy(stale, this.#copiesOf);
  }
}

/** A request for another protocol, such as WebSocket. */
export class UpgradeExchange extends Exchange {
  readonly #socket: Duplex;
  readonly #head: Buffer;

  constructor(parts: ExchangeParts, socket: Duplex, head: Buffer) {
    super(...parts);
    this.#socket = socket;
    this.#head = head;
  }

  /** The guard has no response to know it by. */
  protected get served(): RequestContext | undefined {
    return requestOf(this.#socket);
  }

  protected get isTrusted(): boolean {
    return requestOf(this.#socket)?.connection.isTrusted === true;
  }

  protected get isGone(): boolean {
    return this.#socket.destroyed;
  }

  answersInstead(): boolean {
    return false;
  }

  override get cannotWait(): boolean {
    return true;
  }

  protected answer(given: Answer): void {
    noteStatus(this.req, given.status);
    answerOn(this.#socket, given);
  }

  /** There is no answer of ours that they could be said with. */
  protected addHeaders(): void {}

  protected send(target: ForwardTarget, release: () => void): void {
    // It would go around the queue, the pace and the criticality of a batch.
    if (this.route.batch !== undefined) this.answer(PROBLEMS['bad-request']);
    else forwardUpgrade(this.req, this.#socket, this.#head, target);
    release();
  }
}
