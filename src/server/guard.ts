import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { type GateState, type LoadReport, RejectedError } from '../core/index.js';
import { type Decisions, makeDecisions } from './decisions.js';
import { Door, type GuardMode } from './door.js';
import { checkGuardOptions, type GuardOptions } from './guard-options.js';
import type { GuardedRequest } from './guarded-request.js';
import { Attachment } from './intake/attachment.js';
import { connectionOf } from './intake/connection.js';
import { requestOf } from './intake/guarded-response.js';
import { findParserSlot } from './intake/parser-slot.js';
import { RequestReader } from './intake/request-reader.js';
import { Routes } from './intake/routes.js';
import { checkLimits, type ServerLimits } from './intake/server-limits.js';
import { trustOf } from './intake/trust.js';
import { type DrainOptions, drain } from './lifecycle/drain.js';
import { WaitingRoom } from './lifecycle/waiting-room.js';
import { Tally } from './observe/tally.js';
import { Answers } from './refusing/answers.js';
import { refuseLate } from './refusing/refuse-late.js';
import { plainMeter } from './running/meter.js';

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

export interface ProtectOptions {
  /** A cheaper answer, for when there is too much to do (SRE ch. 21, "degraded responses"). */
  readonly degraded?: Handler;
}

/** Handlers that go on after their clients have left hold their place for so long at the most. */
const ORPHAN_MS = 60_000;

const HOUSEKEEPING_MS = 1_000;

/**
 * Keeps a server serving what it can, whatever comes. Made by `createGuard`.
 */
export class Guard {
  readonly #options: GuardOptions;
  readonly #limits: ServerLimits;
  readonly #decisions: Decisions;
  readonly #door: Door;
  readonly #answers: Answers;
  readonly #room: WaitingRoom;
  readonly #tally = new Tally();
  readonly #attachments = new Map<Server, Attachment>();
  readonly #listeners = new Set<(state: GateState) => void>();
  readonly #housekeeping: NodeJS.Timeout;
  #draining: Promise<void> | undefined = undefined;

  constructor(given?: Partial<GuardOptions>) {
    const options = checkGuardOptions(given);
    this.#options = options;
    this.#limits = checkLimits(options.limits);
    this.#decisions = makeDecisions(options, (request, refusal) => this.#door.drop(request, refusal));
    const { gate, utilization } = this.#decisions;
    this.#answers = new Answers((now) => this.loadReport(now));
    this.#room = new WaitingRoom(options.holdMs, (request) => this.#door.reenter(request));
    const { sampler } = utilization;
    this.#door = new Door({
      gate,
      reader: new RequestReader({
        routes: new Routes(options.routes),
        customer: options.customer,
        criticality: options.criticality,
        timeoutMs: options.timeoutMs,
        random: Math.random,
        onError: options.onError,
      }),
      answers: this.#answers,
      meter: plainMeter,
      tally: this.#tally,
      room: this.#room,
      isTrusted: trustOf(options.trust),
      maxBodyBytes: this.#limits.maxBodyBytes,
      now: monotonicMs,
      onTurn: (now) => sampler.poll(now),
      isHealthPath: () => false,
    });
    this.#door.mode = options.mode;
    if (options.starting) gate.state = 'starting';
    sampler.start();
    this.#housekeeping = setInterval(() => this.#keepHouse(), HOUSEKEEPING_MS);
    this.#housekeeping.unref();
  }

  #keepHouse(): void {
    this.#door.forgetOrphans(monotonicMs() - ORPHAN_MS);
  }

  get mode(): GuardMode {
    return this.#door.mode;
  }

  /** Holds from the next request on. */
  set mode(mode: GuardMode) {
    this.#door.mode = checkGuardOptions({ mode }).mode;
  }

  get state(): GateState {
    return this.#decisions.gate.state;
  }

  loadReport(now: number = monotonicMs()): LoadReport {
    const { gate, utilization } = this.#decisions;
    const cpuUtilization = utilization.cpuUtilization(now);
    return cpuUtilization === undefined ? gate.loadReport(now) : { cpuUtilization, ...gate.loadReport(now) };
  }

  /**
   * A handler that is called when it is a request's turn. The server it is given to is attached with the first request;
   * to have it protected from its first connection on, `attach` it.
   */
  protect(
    handler: Handler,
    { degraded }: ProtectOptions = {},
  ): (req: IncomingMessage, res: ServerResponse) => void {
    const deliver = (request: GuardedRequest) => this.#call(request, handler, degraded);
    return (req, res) => {
      const request = requestOf(res);
      if (request !== undefined) {
        deliver(request);
        return;
      }
      const { server } = req.socket as { server?: unknown };
      if (server instanceof Server) this.attach(server);
      this.#door.enter(connectionOf(req.socket, this.#door), req, res, deliver);
    };
  }

  /** Guards everything that a server does, whoever listens to it. */
  attach(server: Server): void {
    if (this.#attachments.has(server)) return;
    this.#attachments.set(
      server,
      new Attachment(server, {
        door: this.#door,
        limits: this.#limits,
        slot: this.#options.earlyRefusal === 'auto' ? findParserSlot() : undefined,
        answerHealth: () => false,
      }),
    );
    server.once('close', () => this.#attachments.delete(server));
  }

  /** From now on requests are taken. */
  ready(): void {
    if (this.state !== 'starting') return;
    this.#setState('ready');
    this.#room.open();
  }

  /** Serves on, and tells all clients to go elsewhere. */
  lameDuck(): void {
    if (this.state === 'lame-duck' || this.state === 'closed') return;
    this.#answers.isLameDuck = true;
    this.#setState('lame-duck');
    this.#room.open();
  }

  /** Lame duck, and then the end: resolves when nothing is active any more, or the time is over. */
  drain(options?: Partial<DrainOptions>): Promise<void> {
    this.#draining ??= this.#drain(options);
    return this.#draining;
  }

  async #drain(options?: Partial<DrainOptions>): Promise<void> {
    this.lameDuck();
    await drain(
      {
        servers: this.#attachments.keys(),
        active: () => this.#decisions.gate.inFlight,
        connections: () => this.#door.connections.size,
        cutOff: () => this.#cutOff(),
      },
      options,
    );
    this.#decisions.utilization.sampler.stop();
    clearInterval(this.#housekeeping);
  }

  #cutOff(): void {
    this.#decisions.gate.close(monotonicMs());
    this.#setState('closed');
    for (const connection of this.#door.connections) {
      for (const request of connection.open) {
        if (request.res?.headersSent) request.res.destroy();
        else if (request.res !== undefined) refuseLate(request.res, 'not-ready', true);
      }
    }
  }

  #setState(state: GateState): void {
    this.#decisions.gate.state = state;
    for (const listener of this.#listeners) listener(state);
  }

  #call(request: GuardedRequest, handler: Handler, degraded: Handler | undefined): void {
    const { req, res } = request;
    try {
      const result = request.degraded && degraded !== undefined ? degraded(req!, res!) : handler(req!, res!);
      if (isThenable(result)) this.#follow(request, result);
    } catch (error) {
      this.#onHandlerError(request, error);
    }
  }

  #follow(request: GuardedRequest, promise: PromiseLike<unknown>): void {
    request.isPromised = true;
    promise.then(
      () => this.#door.settle(request),
      (error) => {
        this.#onHandlerError(request, error);
        this.#door.settle(request);
      },
    );
  }

  /**
   * What a handler does not catch must not end the process. When a service that it called is overloaded, so are we:
   * answered as *don't retry*, since whoever called has used up its attempts.
   */
  #onHandlerError(request: GuardedRequest, error: unknown): void {
    const { res } = request;
    const isRejected = error instanceof RejectedError;
    this.#tally.handlerErrors++;
    if (!isRejected) this.#options.onError(error);
    if (res === undefined || res.destroyed || res.writableEnded) return;
    if (res.headersSent) res.destroy();
    else if (isRejected) refuseLate(res, 'overloaded-no-retry', request.isCloseNeeded);
    else {
      res.writeHead(500, ['content-length', '0']);
      res.end();
    }
  }

  /** Each change of state, until the returned function is called. */
  onStateChange(listener: (state: GateState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What it does and why, as plain data. */
  snapshot() {
    const now = monotonicMs();
    const { gate, utilization, limiter } = this.#decisions;
    return {
      mode: this.mode,
      state: this.state,
      gate: gate.explain(now),
      inFlight: gate.inFlight,
      utilization: utilization.explain(now),
      limiter: limiter.explain(),
      report: this.loadReport(now),
      connections: this.#door.connections.size,
      counts: this.#tally.byCriticality,
      refusals: this.#tally.refusals,
      refusedEarly: this.#tally.early,
    };
  }
}

function monotonicMs(): number {
  return performance.now();
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Options are all optional; `new Guard` in words. */
export function createGuard(options?: Partial<GuardOptions>): Guard {
  return new Guard(options);
}
