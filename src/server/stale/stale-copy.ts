import type { IncomingHttpHeaders } from 'node:http';
import { elapsedMs } from '../../core/elapsed.js';
import { LOAD_REPORT_HEADER } from '../../wire/names.js';
import { type AnswerHead, joined, members } from './answer-head.js';
import type { Lifetime } from './storable.js';

/** Of one connection (RFC 9110 7.6.1), of one request, or made anew for each answer. */
const NOT_KEPT = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'age',
  'cache-status',
  LOAD_REPORT_HEADER,
  'x-envoy-immediate-health-check-fail',
  'x-request-id',
  'x-correlation-id',
  'traceparent',
  'tracestate',
  'traceresponse',
  'server-timing',
]);

/** What a 304 repeats (RFC 9110 15.4.5). */
const KEPT_IN_304 = new Set(['cache-control', 'content-location', 'date', 'etag', 'expires', 'vary']);

/** What the objects around a copy take, roughly. */
const OVERHEAD_BYTES = 1_000;

/** An answer as it was given once. */
export class StaleCopy {
  readonly body: Buffer;
  readonly isPublic: boolean;
  readonly #head: readonly string[];
  readonly #lifetime: Lifetime;
  readonly #madeMs: number;
  readonly #cacheStatus: string;
  readonly #etag: string | undefined;
  readonly #lastModifiedMs: number;

  constructor(head: AnswerHead, body: Buffer, lifetime: Lifetime, nowMs: number, wallMs: number) {
    this.body = body;
    this.isPublic = lifetime.isPublic;
    this.#lifetime = lifetime;
    this.#madeMs = nowMs;
    const notKept = new Set([...NOT_KEPT, ...members(head, 'connection')]);
    const kept = [...head].filter(([name]) => !notKept.has(name));
    this.#head = kept.flatMap(([name, values]) => values.flatMap((value) => [name, value]));
    // Node would put in the time at which the copy is sent.
    if (!head.has('date')) this.#head = [...this.#head, 'date', new Date(wallMs).toUTCString()];
    const others = joined(head, 'cache-status');
    this.#cacheStatus = others === undefined ? 'plimsoll; hit' : `${others}, plimsoll; hit`;
    this.#etag = joined(head, 'etag');
    this.#lastModifiedMs = Date.parse(joined(head, 'last-modified') ?? '');
  }

  get bytes(): number {
    return this.#head.reduce((sum, text) => sum + text.length, this.body.length + OVERHEAD_BYTES);
  }

  ageMs(nowMs: number): number {
    return this.#lifetime.ageMs + elapsedMs(this.#madeMs, nowMs);
  }

  /** How long ago it was made here. */
  keptMs(nowMs: number): number {
    return elapsedMs(this.#madeMs, nowMs);
  }

  isUsable(nowMs: number): boolean {
    return this.ageMs(nowMs) <= this.#lifetime.freshMs + this.#lifetime.staleMs;
  }

  /** Whether the client has this very answer (RFC 9110 13.2.2): the date is asked about only without a tag. */
  isKnownTo(headers: IncomingHttpHeaders): boolean {
    const tags = headers['if-none-match'];
    if (tags !== undefined) return tags.trim() === '*' || this.#hasTag(tags);
    // A NaN, from an unset or broken date, is never <=.
    return this.#lastModifiedMs <= Date.parse(headers['if-modified-since'] ?? '');
  }

  /**
   * Marked by Age (RFC 9111 5.1) and Cache-Status (RFC 9211), in which a time to live below 0 says stale; `Warning`, which
   * used to, is obsolete (RFC 9111 5.5).
   */
  headAt(nowMs: number, status: 200 | 304): string[] {
    const ageMs = this.ageMs(nowMs);
    const ttl = Math.floor((this.#lifetime.freshMs - ageMs) / 1_000);
    const own = ['age', String(Math.floor(ageMs / 1_000))];
    own.push('cache-status', `${this.#cacheStatus}; ttl=${ttl}; detail=overload`);
    if (status === 200) return [...this.#head, 'content-length', String(this.body.length), ...own];
    const repeated: string[] = [];
    for (let i = 0; i < this.#head.length; i += 2) {
      if (KEPT_IN_304.has(this.#head[i]!)) repeated.push(this.#head[i]!, this.#head[i + 1]!);
    }
    return [...repeated, ...own];
  }

  /** Compared weakly (RFC 9110 13.1.2). */
  #hasTag(tags: string): boolean {
    if (this.#etag === undefined) return false;
    const opaque = this.#etag.replace(/^W\//, '');
    return tags.match(/"[^"]*"/g)?.includes(opaque) ?? false;
  }
}
