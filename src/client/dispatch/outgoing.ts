import type { Random } from '../../core/index.js';
import { type Hop, isIdempotent } from './hop.js';
import { ReplayableBody, toRequestBody } from './request-body.js';
import { attemptHeaders, hasHeader, toFlatHeaders } from './request-headers.js';
import type { Sending } from './sending.js';

/** What goes out with each attempt of a request. */
export class Outgoing {
  readonly sending: Sending;
  readonly hop: Hop;
  readonly isIdempotent: boolean;
  readonly #given: readonly string[];
  readonly #body: unknown;
  readonly #host: string | undefined;

  /** `host`: what the caller calls the service, if it does. */
  constructor(sending: Sending, hop: Hop, host: string | undefined, maxBodyBytes: number) {
    this.sending = sending;
    this.hop = hop;
    this.isIdempotent = isIdempotent(sending.method, sending.idempotent);
    this.#host = host;
    this.#given =
      sending.areHeadersFlat === true
        ? (sending.headers as readonly string[])
        : toFlatHeaders(sending.headers);
    this.#body = toRequestBody(sending.body, maxBodyBytes);
  }

  /** The caller named the backend itself: what its certificate has against that name is the caller's affair. */
  get isNamed(): boolean {
    return this.#host !== undefined || hasHeader(this.#given, 'host');
  }

  /** The body failed by itself. */
  get hasBodyFailed(): boolean {
    return this.#body instanceof ReplayableBody && this.#body.error !== undefined;
  }

  /** What was sent of the body cannot be sent again. */
  get isBodySpent(): boolean {
    return this.#body instanceof ReplayableBody && this.#body.isSpent;
  }

  headersOf(attempt: number, host: string | undefined, now: number, random: Random): string[] {
    return attemptHeaders(this.#given, this.hop, attempt, this.#host ?? host, now, random);
  }

  /** As undici wants it. */
  optionsWith(headers: string[]): object {
    const { path, method, query, upgrade, headersTimeout, bodyTimeout, reset, blocking } = this.sending;
    const { isIdempotent: idempotent } = this;
    const body = this.#body;
    return {
      path,
      method,
      headers,
      body,
      query,
      upgrade,
      headersTimeout,
      bodyTimeout,
      reset,
      blocking,
      idempotent,
    };
  }

  /** Nobody will send it any more. */
  cancel(): void {
    if (this.#body instanceof ReplayableBody) void this.#body.cancel();
  }
}
