import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Gate, type Refusal, Ticket } from '../core/index.js';
import { answerName } from '../wire/index.js';
import type { DoorParts } from './door-parts.js';
import type { Exchange } from './exchange.js';
import type { GuardedRequest } from './guarded-request.js';
import type { Connection } from './intake/connection.js';
import { tie } from './intake/guarded-response.js';
import { limitBody } from './intake/limit-body.js';
import type { Route } from './intake/routes.js';
import type { PeerAddress } from './intake/trust.js';
import type { Tally } from './observe/tally.js';
import type { Answers } from './refusing/answers.js';
import { Endings } from './running/endings.js';
import { freePlaces } from './running/free-places.js';
import { RunLoop } from './running/run-loop.js';

/** What is done with decisions: all of them, none but reports, or not even asked for. */
export type GuardMode = 'enforce' | 'dry-run' | 'off';

/**
 * The way of a request through the guard: read, decided on, queued, run, over. It drives the gate with what happens on
 * sockets; whoever was let in gets to `end`, `leave` or a refusal, on every path.
 */
export class Door {
  mode: GuardMode = 'enforce';
  readonly gate: Gate<GuardedRequest>;
  readonly answers: Answers;
  readonly tally: Tally;
  readonly isTrusted: (peer: PeerAddress) => boolean;
  readonly loop: RunLoop;
  readonly connections = new Set<Connection>();
  /** Whose parser has just come to the end of a request's headers: a look-up less for the event that follows. */
  arriving: Connection | undefined = undefined;
  readonly #endings: Endings;
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.gate = parts.gate;
    this.answers = parts.answers;
    this.tally = parts.tally;
    this.isTrusted = parts.isTrusted;
    this.#endings = new Endings(parts, () => this.loop.wake());
    this.loop = new RunLoop({
      take: (now) => this.gate.take(now)?.request,
      waiting: () => this.gate.waiting,
      start: (request) => this.#start(request),
      now: parts.now,
      onTurn: parts.onTurn,
      onBlocked: (now) => freePlaces(this.gate, this.connections, this.#endings.orphans, now),
    });
  }

  /**
   * The headers of a request are there: decides on it, or leaves it for later (undefined) when there is more to it than
   * a decision.
   */
  arriveEarly(
    connection: Connection,
    method: string,
    url: string,
    rawHeaders: readonly string[],
  ): GuardedRequest | undefined {
    if (this.mode === 'off' || this.#isHolding || this.#parts.isHealthPath(url)) return undefined;
    const now = this.#parts.now();
    this.answers.refresh(now);
    const request = this.#parts.reader.read(connection, method, url, rawHeaders, now);
    request.refusal = this.#decide(request, now);
    return request;
  }

  /** Could a copy be served to one that is refused? That takes a response. */
  mayServeCopy(request: GuardedRequest): boolean {
    return this.#parts.copies.mayServe(request);
  }

  get #isHolding(): boolean {
    return this.gate.state === 'starting' && this.#parts.room.isHolding && this.mode === 'enforce';
  }

  /** A request has come, with everything that belongs to it. */
  enter(
    connection: Connection,
    req: IncomingMessage,
    res: ServerResponse,
    deliver: GuardedRequest['deliver'],
  ): void {
    let request = connection.pending;
    connection.pending = undefined;
    const isNew = request === undefined;
    // One that was decided on already has only just come.
    const now = request?.arrivedMs ?? this.#parts.now();
    if (request === undefined) {
      this.answers.refresh(now);
      request = this.#parts.reader.read(connection, req.method ?? '', req.url ?? '', req.rawHeaders, now);
    }
    request.req = req;
    request.res = res;
    request.deliver = deliver;
    tie(res, request);
    connection.add(request);
    if (!limitBody(request, this.#parts.maxBodyBytes)) {
      this.leave(request);
      return;
    }
    if (isNew && this.#isHolding && !request.isExempt && this.#parts.room.hold(request)) return;
    if (isNew) request.refusal = this.#decide(request, now);
    this.#proceed(request, now);
  }

  /**
   * A request has come that Node makes no response for, by another protocol or for one: decides on it. One that is not refused goes on with `enterCall`, at once.
   * `route`: what is known of it, where that need not be looked for.
   */
  arriveCall(
    connection: Connection,
    method: string,
    url: string,
    rawHeaders: readonly string[],
    route?: Route,
  ): GuardedRequest {
    const now = this.#parts.now();
    this.answers.refresh(now);
    const request = this.#parts.reader.read(connection, method, url, rawHeaders, now, route);
    if (!this.#isHolding || request.isExempt) request.refusal = this.#decide(request, now);
    return request;
  }

  /** `exchange` answers it, `deliver` hands it to its handler. */
  enterCall(request: GuardedRequest, exchange: Exchange, deliver: GuardedRequest['deliver']): void {
    const now = request.arrivedMs;
    request.exchange = exchange;
    request.deliver = deliver;
    request.connection.add(request);
    if (this.#isHolding && !request.isExempt) {
      if (this.#parts.room.hold(request)) return;
      request.refusal = this.#decide(request, now);
    }
    this.#proceed(request, now);
  }

  /** More code of a request that runs already. */
  resume<A, B>(request: GuardedRequest, fn: (a: A, b: B) => void, a: A, b: B): void {
    this.#parts.meter.resume(request, fn, a, b);
  }

  /** The wait for readiness is over, one way or the other. */
  reenter(request: GuardedRequest): void {
    if (request.state === 'done') return;
    const now = this.#parts.now();
    request.refusal = this.#decide(request, now);
    this.#proceed(request, now);
  }

  #proceed(request: GuardedRequest, now: number): void {
    if (request.refusal !== undefined) this.#turnAway(request, request.refusal);
    else if (request.ticket === undefined) this.#start(request);
    else if (request.ticket.state === 'running') this.loop.runNow(request, now);
    else if (this.mode === 'dry-run') this.#release(request, now);
    else {
      request.state = 'waiting';
      this.loop.submit(request);
    }
  }

  /** Runs without the gate one that would have waited. */
  #release(request: GuardedRequest, now: number): void {
    this.gate.abandon(request.ticket!, 0, now);
    request.ticket = undefined;
    this.#start(request);
  }

  /** Nothing is enforced any more: who waits runs. */
  releaseAll(): void {
    for (const request of [...this.connections].flatMap(({ open }) => open))
      setImmediate(
        () => request.state === 'waiting' && request.ticket && this.#release(request, this.#parts.now()),
      );
  }

  #decide(request: GuardedRequest, now: number): Refusal | undefined {
    if (request.isExempt || this.mode === 'off') return undefined;
    const answer = request.isAside
      ? this.gate.arriveAside(request, now)
      : this.gate.arrive(request, now, this.loop.isIdle(now));
    if (answer instanceof Ticket) {
      request.ticket = answer;
      return undefined;
    }
    return this.#enforced(request, answer);
  }

  /** Counts a refusal; undefined when it is only reported. */
  #enforced(request: GuardedRequest, refusal: Refusal): Refusal | undefined {
    this.tally.onRefused(request, refusal, this.mode === 'dry-run');
    return this.mode === 'dry-run' ? undefined : refusal;
  }

  /** The gate has let one go that waited. */
  drop(request: GuardedRequest, refusal: Refusal): void {
    request.ticket = undefined;
    request.refusal = refusal;
    this.tally.onRefused(request, refusal, this.mode === 'dry-run');
    // Not from within the gate, which is telling us; and not if its client leaves meanwhile.
    if (this.mode === 'dry-run' && this.gate.state !== 'closed')
      setImmediate(() => request.state === 'waiting' && this.#start(request));
    else this.#turnAway(request, refusal);
  }

  #turnAway(request: GuardedRequest, refusal: Refusal): void {
    request.state = 'done';
    request.connection.remove(request);
    if (this.#parts.copies.serve(request, this.#parts.now())) return;
    request.exchange.refuse(request, answerName(refusal));
  }

  #start(request: GuardedRequest): void {
    request.state = 'running';
    this.tally.onStarted(request);
    const { resource } = request;
    const { meter } = this.#parts;
    request.exchange.bind(request, meter);
    if (resource === undefined) meter.run(request, this.#handOver, request, undefined);
    else {
      request.resource = undefined;
      resource.runInAsyncScope(meter.run, meter, request, this.#handOver, request, undefined);
    }
  }

  readonly #handOver = (request: GuardedRequest) => {
    const { stale } = this.#parts;
    const { req, res } = request;
    if (stale !== undefined && res !== undefined && request.method !== 'CONNECT') {
      if (!request.degraded) stale.capture(req!, res);
      else if (stale.serve(req!, res, this.#parts.now())) return;
    }
    request.deliver(request);
  };

  /** Its response has been ended. */
  end(request: GuardedRequest): void {
    this.#endings.end(request);
  }

  /** Its client has gone. */
  leave(request: GuardedRequest): void {
    this.#endings.leave(request);
  }

  /** A handler's promise has settled. */
  settle(request: GuardedRequest): void {
    this.#endings.settle(request);
  }

  /** Frees what handlers hold that were left by their clients long ago, and perhaps never end. */
  forgetOrphans(now: number): void {
    this.#endings.forgetOrphans(now);
  }

  /** Its handler charges something, and it is over: its client has left, or was answered. */
  chargeLate(request: GuardedRequest, amount: number): void {
    if (request.ticket !== undefined) this.#parts.late?.addAmount(request, amount, this.#parts.now());
  }

  /** CPU-ms so far. */
  costOf(request: GuardedRequest): number {
    return this.#parts.meter.costOf(request);
  }

  /** The end: who waits is sent away, and who runs is answered for. */
  cutOff(): void {
    this.gate.close(this.#parts.now());
    for (const connection of this.connections) {
      for (const request of [...connection.open]) request.exchange.cutOff(request);
    }
  }
}
