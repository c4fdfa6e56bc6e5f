import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentRequest, withCriticality } from '../../context/index.js';
import {
  BATCH_CRITICALITY,
  BatchPace,
  BatchPlace,
  batchCriticality,
  elapsedMs,
  FairQueue,
  NO_DEADLINE,
  type Outcome,
} from '../../core/index.js';
import { isClientGone } from '../../server/intake/connection-close.js';
import { isLeaving } from '../forwarding/lingering.js';
import { type BatchRefusal, refuse, retrySeconds } from './batch-answers.js';
import { type BatchProxyOptions, checkBatchProxyOptions } from './batch-proxy-options.js';
import { BatchRequest, outcomeOfResponse } from './batch-request.js';
import { type BatchSnapshot, BatchTally } from './batch-tally.js';
import { HeldBodies } from './held-bodies.js';
import { jobOf } from './job-name.js';
import { fullestOf } from './service-load.js';
import { setAside } from './set-aside.js';

/**
 * Sends a request on and answers it. `done` says what came of it, as soon as that is known; without it, it is over when
 * its response is, and the status tells. It runs in the request's async context, with the criticality of a batch.
 */
export type BatchForward = (
  req: IncomingMessage,
  res: ServerResponse,
  done: (outcome: Outcome) => void,
) => unknown;

/** Who expires, and what is slow, is looked at this often. */
const LOOK_MS = 100;
/** And how full the service is this often: as often as the pace takes a step. */
const ASK_MS = 500;
/** So many jobs are shown. */
const MOST_SHOWN = 50;

/**
 * Stands between batch jobs and a service (SRE ch. 21, "Load from Connections"): takes as many connections as come, lets
 * their requests wait in a fair queue between jobs, and sends them on over a few connections, at a pace that leaves to
 * interactive requests what they need. A job that starts ten thousand workers hits the proxy and nothing behind it.
 */
export class BatchProxy {
  readonly #forward: BatchForward;
  readonly #options: BatchProxyOptions;
  readonly #queue: FairQueue<BatchRequest>;
  readonly #pace: BatchPace;
  readonly #bodies: HeldBodies;
  readonly #tally = new BatchTally();
  /** Sent on and not over, slow ones included. */
  readonly #active = new Set<BatchRequest>();
  #slow = 0;
  #isPumping = false;
  #timer: NodeJS.Timeout | undefined = undefined;
  #timerMs = 0;
  #lookedMs = 0;
  #askedMs = Number.NEGATIVE_INFINITY;
  #closed: Promise<void> | undefined = undefined;
  #onIdle: () => void = () => {};

  constructor(forward: BatchForward, given?: Partial<BatchProxyOptions>) {
    this.#forward = forward;
    this.#options = checkBatchProxyOptions(given);
    this.#queue = new FairQueue(this.#options.queue);
    this.#pace = new BatchPace(performance.now(), this.#options.pace);
    this.#bodies = new HeldBodies(this.#options.maxHeldBytes);
  }

  /** For a listener, a route, or `guard.protect`. */
  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    if (isLeaving(req.socket) || isClientGone(req, res)) return;
    const context = currentRequest();
    const request = new BatchRequest(req, res, batchCriticality(context?.criticality ?? BATCH_CRITICALITY));
    const refusal = this.#enter(request, context?.customer, context?.deadline ?? NO_DEADLINE);
    if (refusal !== undefined) this.#refuse(request, refusal);
    else {
      setAside(res);
      this.#pump();
    }
  };

  #enter(request: BatchRequest, customer: string | undefined, deadlineMs: number): BatchRefusal | undefined {
    const { req, res } = request;
    if (this.#closed !== undefined) return 'closed';
    if (!this.#bodies.hold(req)) return 'bodies-full';
    const job = jobOf(this.#options.job, req, customer);
    const place = this.#queue.push(request, job, deadlineMs, performance.now());
    if (!(place instanceof BatchPlace)) {
      this.#bodies.release(req);
      return place;
    }
    request.place = place;
    const onClose = () => this.#onClose(request);
    res.once('close', onClose);
    // One behind others on its connection has a response that hears of nothing.
    req.once('close', onClose);
    return undefined;
  }

  /** What it does and why, as plain data. */
  snapshot(): BatchSnapshot {
    const now = performance.now();
    return {
      waiting: this.#queue.size,
      underWay: this.#queue.underWay,
      slow: this.#slow,
      heldBytes: this.#bodies.bytes,
      jobCount: this.#queue.jobs,
      jobs: this.#queue.readings(MOST_SHOWN, now),
      pace: this.#pace.explain(now),
      counts: this.#tally.counts(),
    };
  }

  /** Sends all that waits of a job away; how many that were. */
  removeJob(job: string): number {
    const removed = this.#queue.removeJob(job);
    for (const request of removed) this.#refuse(request, 'closed');
    return removed.length;
  }

  /** Takes no more, sends those away who wait, and is done when those under way are. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#onIdle = resolve;
    });
    for (const request of this.#queue.clear(performance.now())) this.#refuse(request, 'closed');
    this.#rest();
    return this.#closed;
  }

  #refuse(request: BatchRequest, refusal: BatchRefusal): void {
    const { req, res } = request;
    this.#bodies.release(req);
    this.#tally.onRefused(refusal);
    refuse(req, res, refusal, retrySeconds(this.#queue.size, this.#pace.ratePerSecond, Math.random()));
  }

  /** Its response is over, or its connection; or all of it was read. */
  #onClose(request: BatchRequest): void {
    const { req, res, place } = request;
    if (this.#queue.remove(place!)) {
      this.#bodies.release(req);
      this.#tally.left++;
    } else if (res.closed || req.socket.destroyed) this.#settle(request);
  }

  /** Sends on as many as may go. */
  #pump(): void {
    // One that is over before its forward returns.
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#queue.size > 0) {
        const now = performance.now();
        const waitMs = this.#pace.waitMs(this.#queue.underWay, now);
        if (waitMs > 0) {
          this.#wakeIn(waitMs);
          return;
        }
        const place = this.#queue.take(now);
        // All that wait have expired: they are told soon.
        if (place === undefined) break;
        this.#start(place, now);
      }
      this.#wakeIn(LOOK_MS);
    } finally {
      this.#isPumping = false;
    }
  }

  #start({ request }: BatchPlace<BatchRequest>, now: number): void {
    this.#pace.onStart(now);
    this.#bodies.release(request.req);
    this.#tally.forwarded++;
    this.#active.add(request);
    request.startedMs = now;
    request.resource.runInAsyncScope(this.#send, undefined, request);
  }

  readonly #send = (request: BatchRequest): void => {
    const { req, res, criticality } = request;
    try {
      withCriticality(criticality, () =>
        this.#forward(req, res, (outcome) => this.#settle(request, outcome)),
      );
    } catch (error) {
      this.#options.onError(error);
      res.destroy();
      this.#settle(request, 'failed');
    }
  };

  #settle(request: BatchRequest, outcome?: Outcome): void {
    if (!this.#active.delete(request)) return;
    const now = performance.now();
    if (request.isSlow) this.#slow--;
    else {
      const tookMs = elapsedMs(request.startedMs, now);
      this.#pace.onDone(outcome ?? outcomeOfResponse(request.res), tookMs, now);
      this.#leave(request, tookMs);
    }
    this.#pump();
    this.#rest();
  }

  /** It has used its part of the places and of the pace: both are shared between jobs. */
  #leave({ place }: BatchRequest, tookMs: number): void {
    const { limit, ratePerSecond } = this.#pace;
    this.#queue.finish(place!, tookMs / limit + 1_000 / ratePerSecond);
  }

  #wakeIn(ms: number): void {
    if (this.#queue.size === 0 && this.#active.size === 0) return;
    const afterMs = Math.ceil(Math.min(LOOK_MS, ms));
    const dueMs = performance.now() + afterMs;
    if (this.#timer !== undefined) {
      if (this.#timerMs <= dueMs) return;
      clearTimeout(this.#timer);
    }
    this.#timerMs = dueMs;
    this.#timer = setTimeout(this.#onTimer, afterMs).unref();
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    if (elapsedMs(this.#lookedMs, now) >= LOOK_MS) this.#look(now);
    this.#pump();
  };

  #look(now: number): void {
    this.#lookedMs = now;
    for (let place = this.#queue.expired(now); place !== undefined; place = this.#queue.expired(now))
      this.#refuse(place.request, place.isDeadline ? 'late' : 'waited');
    for (const request of this.#active) this.#lookAt(request, now);
    if (elapsedMs(this.#askedMs, now) >= ASK_MS) this.#ask(now);
  }

  #lookAt(request: BatchRequest, now: number): void {
    if (request.req.socket.destroyed) {
      this.#settle(request, 'aborted');
      return;
    }
    // As many again as may be under way: whoever is slow beyond that is in the way of the others.
    if (request.isSlow || this.#slow >= this.#pace.limit || !request.isHeldUpByClient(now)) return;
    request.isSlow = true;
    this.#slow++;
    this.#leave(request, elapsedMs(request.startedMs, now));
  }

  #ask(now: number): void {
    this.#askedMs = now;
    const utilization = fullestOf(this.#options.utilization, this.#options.onError);
    if (utilization !== undefined) this.#pace.onUtilization(utilization, now);
  }

  /** Nothing is left to look at. */
  #rest(): void {
    if (this.#queue.size > 0 || this.#active.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#onIdle();
  }
}
