import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../../core/index.js';
import { type AnswerHead, readAnswerHead } from './answer-head.js';
import { copyWishOf, hasCredentials, keyOf, targetKeyOf } from './copy-key.js';
import type { CopyStore } from './copy-store.js';
import { StaleCopy } from './stale-copy.js';
import type { StaleOptions } from './stale-options.js';
import { type Lifetime, lifetimeOf, variedBy } from './storable.js';

/** What is known of a copy once the answer's head is on its way. */
export interface CopyPlan {
  readonly key: string;
  readonly head: AnswerHead;
  readonly lifetime: Lifetime;
  readonly variedBy: readonly string[];
  /** When the answer began, by both clocks. */
  readonly nowMs: number;
  readonly wallMs: number;
}

/** Part of the room for copies that answers on their way may take besides. */
const PENDING_SHARE = 0.25;

/** Statuses that say there is nothing (any more) to have a copy of. */
const GONE = [404, 410];

/** Decides which answers are copied, and keeps the copies. */
export class CopyKeeper {
  readonly #options: StaleOptions;
  readonly #store: CopyStore;
  readonly #clock: Pick<Environment, 'monotonicMs' | 'wallMs'>;
  #pendingBytes = 0;
  stored = 0;
  givenUp = 0;
  forgotten = 0;

  constructor(options: StaleOptions, store: CopyStore, clock: Pick<Environment, 'monotonicMs' | 'wallMs'>) {
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
  }

  /** Undefined when the answer is not to be copied. The cheapest questions come first. */
  plan(req: IncomingMessage, res: ServerResponse, given: readonly unknown[]): CopyPlan | undefined {
    if (res.statusCode !== 200) {
      if (GONE.includes(res.statusCode)) this.forget(req);
      return undefined;
    }
    const wallMs = this.#clock.wallMs();
    const head = readAnswerHead(res, given);
    const lifetime = lifetimeOf(head, this.#options.maxStaleMs, wallMs);
    if (lifetime === undefined) return undefined;
    if (copyWishOf(req) === 'never') return undefined;
    if (!lifetime.isPublic && hasCredentials(req, this.#options)) return undefined;
    const names = variedBy(head);
    const key = keyOf(req, this.#options);
    if (names === undefined || key === undefined) return undefined;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#store.find(key, req.headers, nowMs);
    if (known !== undefined && known.keptMs(nowMs) < this.#options.refreshMs) return undefined;
    return { key, head, lifetime, variedBy: names, nowMs, wallMs };
  }

  /** Room for pieces of an answer that is still on its way and has `heldBytes` already; false when there is none. */
  reserve(bytes: number, heldBytes: number): boolean {
    const { maxBytes, maxBodyBytes } = this.#options;
    if (heldBytes + bytes > maxBodyBytes) return false;
    if (this.#pendingBytes + bytes > maxBytes * PENDING_SHARE) return false;
    this.#pendingBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#pendingBytes -= bytes;
  }

  keep(plan: CopyPlan, body: Buffer, { headers }: IncomingMessage): void {
    const copy = new StaleCopy(plan.head, body, plan.lifetime, plan.nowMs, plan.wallMs);
    if (this.#store.put(plan.key, plan.variedBy, headers, copy)) this.stored++;
    else this.givenUp++;
  }

  /** What was asked for has been written, or is gone: copies of before say nothing (RFC 9111 4.4). */
  forget(req: IncomingMessage): void {
    const key = targetKeyOf(req, this.#options);
    if (key !== undefined && this.#store.delete(key)) this.forgotten++;
  }
}
