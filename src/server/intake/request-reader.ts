import { type Criticality, parseCriticality } from '../../core/criticality.js';
import { DEFAULT_CRITICALITY, EvenOrder, hopDeadline, refusalOrder } from '../../core/index.js';
import { knownName, RequestFacts, readRequestHeaders } from '../../wire/index.js';
import { GuardedRequest } from '../guarded-request.js';
import type { Connection } from './connection.js';
import { RequestHead } from './request-head.js';
import type { Route, Routes } from './routes.js';

export interface RequestReaderOptions {
  readonly routes: Routes;
  /** Who is billed. Undefined from it, or no function: what a trusted sender says, else `anonymous`. */
  readonly customer: ((head: RequestHead) => string | undefined) | undefined;
  /** Overrides what the request says. */
  readonly criticality: ((head: RequestHead) => Criticality | undefined) | undefined;
  /** Waits for its turn in a line of its own. */
  readonly aside?: ((head: RequestHead) => boolean) | undefined;
  /** No request is given longer than this. */
  readonly timeoutMs: number | undefined;
  /** A function of the user's has thrown. */
  readonly onError: (error: unknown) => void;
}

/** Makes of a request's head what decisions need, and believes no more of it than it should. */
export class RequestReader {
  readonly #options: RequestReaderOptions;
  readonly #facts = new RequestFacts();
  readonly #head = new RequestHead();
  readonly #order = new EvenOrder();
  /** Values of our headers that made no sense, and names of customers that cannot travel, so far. */
  malformed = 0;
  /** Most requests are of the same customer as the one before. */
  #lastCustomer = 'anonymous';

  constructor(options: RequestReaderOptions) {
    this.#options = options;
  }

  read(
    connection: Connection,
    method: string,
    url: string,
    rawHeaders: readonly string[],
    now: number,
    known?: Route,
  ): GuardedRequest {
    const { routes, customer, criticality, aside, timeoutMs } = this.#options;
    const facts = this.#facts;
    readRequestHeaders(rawHeaders, facts);
    if (!connection.isTrusted) facts.disbelieve();
    const route = known ?? routes.find(method, url);
    if (customer !== undefined || criticality !== undefined || aside !== undefined)
      this.#fillHead(connection, method, url, rawHeaders);
    const { traceId } = facts;
    const level =
      route.criticality ?? this.#askCriticality(criticality) ?? facts.criticality ?? DEFAULT_CRITICALITY;
    this.malformed += facts.malformed;
    const request = new GuardedRequest(
      connection,
      route,
      level,
      this.#customer(this.#askCustomer(customer) ?? facts.customer ?? 'anonymous'),
      hopDeadline(now, facts.timeoutMs, timeoutMs),
      // Without a trace there is no tree to keep together, and any place is as good.
      traceId === undefined ? this.#order.next(level) : refusalOrder(traceId),
      method,
      now,
      facts,
    );
    if (aside !== undefined) request.isAside = this.#ask(aside) === true;
    return request;
  }

  #fillHead(connection: Connection, method: string, url: string, rawHeaders: readonly string[]): void {
    const head = this.#head;
    head.method = method;
    head.url = url;
    head.rawHeaders = rawHeaders;
    head.remoteAddress = connection.remoteAddress;
    head.socket = connection.socket;
    head.isTrusted = connection.isTrusted;
  }

  #askCriticality(ask: RequestReaderOptions['criticality']): Criticality | undefined {
    const answer = this.#ask(ask);
    return typeof answer === 'string' ? parseCriticality(answer) : undefined;
  }

  #askCustomer(ask: RequestReaderOptions['customer']): string | undefined {
    const answer = this.#ask(ask);
    return typeof answer === 'string' && answer !== '' ? answer : undefined;
  }

  /** One name in all tables, on all backends. */
  #customer(name: string): string {
    if (name === this.#lastCustomer) return name;
    const known = knownName(name);
    if (known !== name) this.malformed++;
    this.#lastCustomer = known;
    return known;
  }

  /** Whoever cannot say whose a request is must not bring it down. */
  #ask<T>(ask: ((head: RequestHead) => T) | undefined): T | undefined {
    if (ask === undefined) return undefined;
    try {
      return ask(this.#head);
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }
}
