import type { IncomingMessage, ServerResponse } from 'node:http';
import { digestOf } from '../rate-limit/rules/key-text.js';
import type { StaleCopies } from '../server/stale/stale-copies.js';
import type { NamedRoute, ServiceSettings } from './settings/index.js';

/**
 * What of settings decides how a request is answered, beside what it says itself. Its name is not among it: where one route is
 * for reading and another for writing, what is written by that must be forgotten by this. Nor is where the backends are: a
 * service that gets another one, which happens when there is too much to do, stays what it is.
 */
export function answersOf(route: NamedRoute, { host }: Pick<ServiceSettings, 'host'>): string {
  const { to, headers, path, rewrite, requestHeaders, answerHeaders } = route;
  const asked = rewrite === undefined ? undefined : [path, rewrite];
  // As short as a name, whatever is set by it: it is part of every key, and values of headers may be secrets.
  return digestOf(JSON.stringify([to, host, headers, asked, requestHeaders, answerHeaders]));
}

/** Old answers of one route. */
export class RouteCopies {
  readonly #copies: StaleCopies;
  readonly #answers: string;
  readonly #partitions: WeakMap<IncomingMessage, string>;

  /** `partitions` is where `copies` look for the part of a request's key that it does not say itself. */
  constructor(copies: StaleCopies, answers: string, partitions: WeakMap<IncomingMessage, string>) {
    this.#copies = copies;
    this.#answers = answers;
    this.#partitions = partitions;
  }

  get hasCopies(): boolean {
    return this.#copies.hasCopies;
  }

  /** To be called before it is answered. */
  capture(req: IncomingMessage, res: ServerResponse, customer: string | undefined): void {
    this.#tell(req, customer);
    this.#copies.capture(req, res);
  }

  /** False when there is no copy for it: then nothing was sent. */
  serve(req: IncomingMessage, res: ServerResponse, customer: string | undefined, nowMs: number): boolean {
    this.#tell(req, customer);
    return this.#copies.serve(req, res, nowMs);
  }

  /** The first is always as long, so that no customer's name looks like a part of it. */
  #tell(req: IncomingMessage, customer = ''): void {
    this.#partitions.set(req, this.#answers + customer);
  }
}
