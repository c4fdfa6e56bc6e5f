import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { metrics } from '@opentelemetry/api';
import { propagate } from '../context/index.js';
import type { GateState, LoadReport } from '../core/index.js';
import { CpuMeter } from './cpu/index.js';
import { type Decisions, makeDecisions } from './decisions.js';
import { Door, type GuardMode } from './door.js';
import { checkGuardOptions, type GuardOptions, withHints } from './guard-options.js';
import type { GuardedRequest } from './guarded-request.js';
import type { Guest, Host } from './guest.js';
import { type Handler, Handling, type ProtectOptions } from './handling.js';
import { GuardHealth } from './health/guard-health.js';
import { Attachment } from './intake/attachment.js';
import { connectionOf, countConnections } from './intake/connection.js';
import { requestOf } from './intake/guarded-response.js';
import { handshakeOf } from './intake/handshake.js';
import { IdleConnections } from './intake/idle-connections.js';
import { findParserSlot, type ParserSlot } from './intake/parser-slot.js';
import { RequestReader } from './intake/request-reader.js';
import { Routes } from './intake/routes.js';
import { checkLimits, type ServerLimits } from './intake/server-limits.js';
import { trustOf } from './intake/trust.js';
import { checkDrainOptions, type DrainOptions, drain } from './lifecycle/drain.js';
import { WaitingRoom } from './lifecycle/waiting-room.js';
import { registerMetrics } from './observe/metrics.js';
import { momentOf } from './observe/recent-refusals.js';
import { type GuardSnapshot, takeSnapshot } from './observe/snapshot.js';
import { Tally } from './observe/tally.js';
import { Answers } from './refusing/answers.js';
import { keepTicksQuick } from './running/quick-ticks.js';
import { RefusedCopies, type StandIn } from './stale/refused-copies.js';
import { StaleCopies } from './stale/stale-copies.js';

const HOUSEKEEPING_MS = 1_000;

/** Keeps a server serving what it can, whatever comes. Made by `createGuard`. */
export class Guard {
  /** Another process serves at the same address: when this one leaves, clients let go of connections, and of nothing else. */
  isReplaced = false;
  readonly #limits: ServerLimits;
  readonly #slot: ParserSlot | undefined;
  readonly #decisions: Decisions;
  readonly #reader: RequestReader;
  readonly #idle: IdleConnections;
  readonly #door: Door;
  readonly #handling: Handling;
  readonly #answers: Answers;
  readonly #room: WaitingRoom;
  readonly #health: GuardHealth | undefined;
  readonly #copies: RefusedCopies;
  readonly #meter: CpuMeter;
  readonly #tally: Tally;
  readonly #attachments = new Map<Server, Attachment>();
  readonly #guests = new Set<Guest>();
  readonly #host: Host;
  readonly #listeners = new Set<(state: GateState) => void>();
  readonly #housekeeping: NodeJS.Timeout;
  readonly #stopPropagating: () => void;
  /** What to do when somebody at an admin port, or a cluster's primary, wants this process to end; `drain` unless it is set. */
  onDrainRequest: () => unknown = () => this.drain();
  #stopMetrics: (() => void) | undefined = undefined;
  #draining: Promise<void> | undefined = undefined;

  constructor(given?: Partial<GuardOptions>) {
    keepTicksQuick();
    const options = checkGuardOptions(given);
    const { onError } = options;
    this.#limits = checkLimits(options.limits);
    this.#slot = options.earlyRefusal === 'auto' ? findParserSlot() : undefined;
    this.#decisions = makeDecisions(options, (request, refusal) => this.#door.drop(request, refusal));
    const { gate, utilization, quotaCost, late } = this.#decisions;
    const { sampler } = utilization;
    this.#tally = new Tally((criticality) => momentOf(this.#decisions, criticality, monotonicMs()));
    this.#answers = new Answers(
      (now) => this.loadReport(now),
      () => !this.isReplaced && (this.#health?.state ?? this.state) !== 'ready',
    );
    this.#room = new WaitingRoom(options.holdMs, (request) => this.#door.reenter(request));
    const stale = options.stale === false ? undefined : new StaleCopies(options.stale);
    this.#copies = new RefusedCopies(stale);
    this.#health =
      options.health === false
        ? undefined
        : new GuardHealth(this, options.health, onError, () => this.onDrainRequest());
    this.#meter = new CpuMeter(Math.random, withHints(options));
    const routes = new Routes(options.routes);
    this.#reader = new RequestReader({ ...options, routes });
    this.#door = new Door({
      gate,
      reader: this.#reader,
      answers: this.#answers,
      meter: this.#meter,
      quotaCost,
      late,
      tally: this.#tally,
      room: this.#room,
      stale,
      copies: this.#copies,
      isTrusted: trustOf(options.trust, onError),
      maxBodyBytes: this.#limits.maxBodyBytes,
      now: monotonicMs,
      onTurn: (now) => {
        sampler.poll(now);
        this.#noteRunnable(now);
      },
      isHealthPath: (url) => this.#health?.isHealthPath(url) ?? false,
    });
    this.#host = { door: this.#door, routes, mayRefuseEarly: options.earlyRefusal === 'auto', onError };
    this.#handling = new Handling(this.#door, onError);
    this.#door.mode = options.mode;
    if (options.starting) gate.state = 'starting';
    sampler.start();
    this.#stopPropagating = propagate(options.context);
    this.#meter.start();
    this.#idle = new IdleConnections(this.#door.connections, this.#limits.requestTimeoutMs);
    this.#housekeeping = setInterval(() => this.#keepHouse(), HOUSEKEEPING_MS);
    this.#housekeeping.unref();
  }

  /** One runs while others wait for it. */
  #noteRunnable(now: number): void {
    const { gate, utilization } = this.#decisions;
    utilization.executor?.setRunnable(gate.waiting > 0 ? gate.waiting + 1 : 0, now);
  }

  #keepHouse(): void {
    const now = monotonicMs();
    // Also when all that waited have left: no turn comes after that.
    this.#noteRunnable(now);
    this.#door.forgetOrphans(now);
    this.#idle.look(now);
    this.#meter.tick(now, process.cpuUsage());
  }

  get mode(): GuardMode {
    return this.#door.mode;
  }

  /** Holds from the next request on: `off` is the switch for when the guard itself is the problem. */
  set mode(mode: GuardMode) {
    this.#door.mode = checkGuardOptions({ mode }).mode;
    if (mode !== 'enforce') this.#door.releaseAll();
  }

  get state(): GateState {
    return this.#decisions.gate.state;
  }

  /** What answers and health checks say of the load. */
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
    { degraded = handler }: ProtectOptions = {},
  ): (req: IncomingMessage, res: ServerResponse) => void {
    const deliver = (request: GuardedRequest) =>
      this.#handling.call(request, request.degraded ? degraded : handler);
    return (req, res) => {
      const request = requestOf(res) ?? handshakeOf(req, res);
      if (request !== undefined) {
        deliver(request);
        return;
      }
      const { server } = req.socket as { server?: unknown };
      // An https server is none of http's classes.
      if (server instanceof Server || server instanceof HttpsServer) this.attach(server);
      this.#door.enter(connectionOf(req.socket, this.#door), req, res, deliver);
    };
  }

  /** Guards everything that a server does, whoever listens to it. */
  attach(server: Server): void {
    if (this.#attachments.has(server)) return;
    this.#stopMetrics ??= registerMetrics(metrics.getMeter('plimsoll'), this);
    this.#attachments.set(
      server,
      new Attachment(server, {
        door: this.#door,
        limits: this.#limits,
        slot: this.#slot,
        answerHealth: (req, res, { isTrusted }) => this.#health?.answer(req, res, isTrusted) ?? false,
      }),
    );
  }

  /** Takes in a server of another protocol. Called by what guards it, such as `guardGrpc`. */
  host(guest: Guest): Host {
    this.#stopMetrics ??= registerMetrics(metrics.getMeter('plimsoll'), this);
    this.#guests.add(guest);
    return this.#host;
  }

  /** Who answers what is refused, where it has something to answer with. Called by a gateway. */
  useStandIn(standIn: StandIn): void {
    this.#copies.standIn = standIn;
  }

  /** Counts a connection that somebody else reads, whose requests come to `protect` each with a socket that `isStream`. */
  watch(socket: Parameters<typeof connectionOf>[0]): void {
    connectionOf(socket, this.#door).keepFor(0);
  }

  /** Answers health checks by UDP on this port. Called by `serve`. */
  async listenForHealthChecks(port: number, host?: string): Promise<void> {
    await this.#health?.listen(port, host);
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
    // Who was not ready yet never will be, and has nothing to serve with.
    this.#setState(this.state === 'starting' ? 'closed' : 'lame-duck');
    this.#answers.isLameDuck = true;
    // Also for those that are being served: nobody may come after them.
    this.#answers.refresh(monotonicMs());
    this.#room.open();
  }

  /** Lame duck, and then the end: resolves when nothing is active any more, or the time is over. */
  drain(options?: Partial<DrainOptions>): Promise<void> {
    this.#draining ??= this.#drain(checkDrainOptions(options));
    return this.#draining;
  }

  async #drain(options: DrainOptions): Promise<void> {
    this.lameDuck();
    await drain(
      {
        servers: this.#attachments.keys(),
        guests: this.#guests,
        active: () => this.#decisions.gate.inFlight,
        connections: () => this.#door.connections.size,
        onStopped: () => this.#health?.closePages(),
        cutOff: () => {
          this.#setState('closed');
          this.#door.cutOff();
        },
        closeAll: () => {
          for (const { socket } of this.#door.connections) socket.destroy();
        },
      },
      options,
    );
    await this.#health?.close();
    this.#decisions.utilization.sampler.stop();
    this.#stopMetrics?.();
    clearInterval(this.#housekeeping);
    this.#meter.stop();
    this.#stopPropagating();
  }

  #setState(state: GateState): void {
    this.#decisions.gate.state = state;
    for (const listener of this.#listeners) listener(state);
  }

  /** Each change of state, until the returned function is called. */
  onStateChange(listener: (state: GateState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What it does and why, as plain data. */
  snapshot(): GuardSnapshot {
    const now = monotonicMs();
    return takeSnapshot(this.#decisions, this.#tally, now, {
      mode: this.mode,
      connections: countConnections(this.#door.connections),
      isRefusingEarly: this.#slot !== undefined,
      report: this.loadReport(now),
      malformedHeaders: this.#reader.malformed,
      cpu: this.#meter.totals(),
    });
  }
}

const monotonicMs = () => performance.now();

/** Options are all optional; `new Guard` in words. */
export function createGuard(options?: Partial<GuardOptions>): Guard {
  return new Guard(options);
}
