import { metrics } from '@opentelemetry/api';
import { type Dispatcher, Request, type RequestInit, type Response, fetch as undiciFetch } from 'undici';
import { needContext } from '../context/index.js';
import { type Environment, RejectedError } from '../core/index.js';
import type { ClientOptions } from './client-options.js';
import { checkClientOptions } from './client-settings.js';
import { BalancingDispatcher } from './dispatch/balancing-dispatcher.js';
import { FetchDispatcher, plainBody, toUndiciBody } from './dispatch/fetch-dispatcher.js';
import type { CallOptions } from './dispatch/hop.js';
import { ClientTally } from './observing/client-tally.js';
import { HTTP_SPANS } from './observing/http-spans.js';
import { registerMetrics } from './observing/metrics.js';
import { type ClientSnapshot, takeSnapshot } from './observing/snapshot.js';
import { AttemptSpans } from './observing/spans.js';
import { type ResolvedBackend, type Resolver, staticResolver } from './resolving/index.js';
import { Service } from './service/service.js';

/** As for `fetch`, and what Plimsoll may be told of one request. */
export type FetchInit = RequestInit & CallOptions;

/** A path, a URL, or a request of undici's or the built-in kind. */
export type FetchInput = string | URL | Request | globalThis.Request;

/** As for undici's `request`, and what Plimsoll may be told of one request. */
export type RequestOptions = Partial<Omit<Dispatcher.RequestOptions, 'path' | 'origin' | 'idempotent'>> &
  CallOptions;

const HERE: Environment = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
};

/** A client of one service. It keeps connections to some of its backends, and sends each request to the right one. */
export class Client {
  /** For `fetch(url, { dispatcher })`, undici's functions, and whatever is built on it. */
  readonly dispatcher: Dispatcher;
  readonly #service: Service;
  readonly #tally: ClientTally;
  readonly #origin: string;
  readonly #unregister: () => void;

  constructor(options: ClientOptions) {
    const settings = checkClientOptions(options);
    const resolver = isResolver(options.backends) ? options.backends : staticResolver(options.backends);
    needContext();
    this.#origin = `http://${toHostname(settings.name)}`;
    this.#tally = new ClientTally(
      settings.name,
      options.spans === false ? undefined : new AttemptSpans(HTTP_SPANS),
    );
    this.#service = new Service(options, settings, resolver, options.environment ?? HERE, this.#tally);
    this.dispatcher = new BalancingDispatcher(this.#service, this.#origin);
    this.#unregister = registerMetrics(metrics.getMeter('plimsoll'), () => this.snapshot());
  }

  /** `fetch` from the service: a path, or a URL whose host then is what backends are called. */
  async fetch(input: FetchInput, init: FetchInit = {}): Promise<Response> {
    const { criticality, customer, timeoutMs, idempotent, ...rest } = init;
    const target = this.#targetOf(input);
    const { origin } = new URL(typeof target === 'object' && 'url' in target ? target.url : target);
    const call = { criticality, customer, timeoutMs, idempotent };
    const isCalled = (host: string) => this.#service.isCalled(host);
    const dispatcher = new FetchDispatcher(this.dispatcher, origin, call, plainBody(init.body), isCalled);
    try {
      const body = rest.body === undefined ? {} : { body: toUndiciBody(rest.body) };
      return await undiciFetch(target, { ...rest, ...body, dispatcher });
    } catch (error) {
      // Fetch hides what happened in the cause. A guard, and whoever calls, should see it.
      const { cause } = error as { cause?: unknown };
      throw cause instanceof RejectedError || cause instanceof RangeError ? cause : error;
    }
  }

  #targetOf(input: FetchInput): string | URL | Request {
    if (typeof input === 'string') return input.startsWith('/') ? this.#origin + input : input;
    if (input instanceof URL || input instanceof Request) return input;
    // The built-in one is another class than undici's.
    const { url, method, headers, body, redirect, signal } = input;
    const init = {
      method,
      headers: [...headers],
      redirect,
      signal,
      ...(body === null ? {} : { body, duplex: 'half' }),
    };
    return new Request(url, init as RequestInit);
  }

  /** Undici's `request`: less than `fetch`, and faster. */
  request(path: string, options: RequestOptions = {}): Promise<Dispatcher.ResponseData> {
    const full = { method: 'GET', ...options, origin: this.#origin, path };
    return this.dispatcher.request(full as Dispatcher.RequestOptions);
  }

  /** What it knows and does, as plain data. */
  snapshot(): ClientSnapshot {
    return takeSnapshot(this.#service, this.#tally);
  }

  /** Takes no more requests, and is done when all have ended. */
  async close(): Promise<void> {
    this.#unregister();
    await this.dispatcher.close();
  }

  /** Ends everything now; what runs fails. */
  async destroy(error?: Error): Promise<void> {
    this.#unregister();
    await this.dispatcher.destroy(error ?? null);
  }
}

/** A client that balances over the backends of a service. */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

function isResolver(backends: ClientOptions['backends']): backends is Resolver {
  return !Array.isArray(backends as readonly (string | ResolvedBackend)[]);
}

/** Of a name that is none for a host, what is left of it. */
function toHostname(name: string): string {
  const clean = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return clean === '' ? 'service' : clean;
}
