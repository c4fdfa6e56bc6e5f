import type { DoorParts } from '../door-parts.js';
import type { GuardedRequest } from '../guarded-request.js';
import { Orphans } from './orphans.js';

/** Handlers that go on after their clients have left hold their place for so long at the most. */
const ORPHAN_MS = 60_000;

type EndingParts = Pick<DoorParts, 'gate' | 'tally' | 'meter' | 'late' | 'quotaCost' | 'now'>;

/** The ways in which a request that was let in is over: answered, left by its client, or left and going on for a while. */
export class Endings {
  readonly orphans = new Orphans();
  readonly #parts: EndingParts;
  readonly #onFree: () => void;

  /** `onFree`: there is a place for one that waits. */
  constructor(parts: EndingParts, onFree: () => void) {
    this.#parts = parts;
    this.#onFree = onFree;
  }

  /** Its response has been ended. */
  end(request: GuardedRequest): void {
    const { state, ticket } = request;
    // Answered before its turn came: its body was too long.
    if (state === 'waiting' || state === 'arriving') this.leave(request);
    if (state !== 'running') return;
    const { gate, tally, quotaCost } = this.#parts;
    const now = this.#parts.now();
    const isError = request.exchange.isError(request);
    const cpuMs = this.#finish(request, now);
    if (ticket !== undefined) gate.finish(ticket, isError, quotaCost(request, cpuMs), now);
    tally.onEnded(request, isError, now);
    if (gate.waiting > 0) this.#onFree();
  }

  /** Its client has gone. */
  leave(request: GuardedRequest): void {
    if (request.state === 'done' || request.state === 'orphaned') return;
    this.#parts.tally.onLeft(request);
    if (request.state === 'running' && request.isPromised) {
      request.state = 'orphaned';
      this.orphans.add(request, this.#parts.now());
    } else this.#abandon(request);
  }

  /** A handler's promise has settled. */
  settle(request: GuardedRequest): void {
    request.isPromised = false;
    if (this.orphans.delete(request)) this.#abandon(request);
  }

  forgetOrphans(now: number): void {
    for (const request of this.orphans.olderThan(ORPHAN_MS, now)) {
      this.orphans.delete(request);
      this.#abandon(request);
    }
  }

  /** Returns what it has cost so far, in CPU-ms. The rest is charged as it comes. */
  #finish(request: GuardedRequest, now: number): number {
    request.state = 'done';
    request.endedMs = now;
    const { meter, late } = this.#parts;
    const cpuMs = meter.finish(request);
    if (request.ticket !== undefined) late?.follow(request);
    return cpuMs;
  }

  #abandon(request: GuardedRequest): void {
    const { gate, quotaCost } = this.#parts;
    const wasStarted = request.state === 'running' || request.state === 'orphaned';
    const now = this.#parts.now();
    request.state = 'done';
    const cpuMs = wasStarted ? this.#finish(request, now) : 0;
    const cost = quotaCost(request, cpuMs);
    if (request.ticket !== undefined) gate.abandon(request.ticket, cost, now);
    if (gate.waiting > 0) this.#onFree();
  }
}
