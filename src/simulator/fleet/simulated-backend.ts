import type { Random } from '../../core/environment.js';
import type { ConnectionState } from '../../core/health/index.js';
import type { LoadReport } from '../../core/load-report.js';
import type { Outcome } from '../../core/outcome.js';
import type { LocalClock } from '../models/index.js';
import type { Attempt } from './attempt.js';
import { BackendProcess } from './backend-process.js';
import { BackendTally } from './backend-tally.js';
import { Lifecycle } from './lifecycle.js';
import { Machine } from './machine.js';
import { Notice } from './notice.js';
import type { ServiceLink } from './service-link.js';
import type { SimulatedService } from './simulated-service.js';
import type { BackendGroupSpec } from './spec/index.js';
import { newClock, type Process, type World } from './world.js';

/** Those who are cut off are noticed by a health check each second, and its timeout. */
const HEALTH_CHECK_MS = 1_000;

/** One backend: an address on a machine, and the process that listens there now. */
export class SimulatedBackend implements Process {
  readonly key: string;
  readonly service: SimulatedService;
  readonly group: BackendGroupSpec;
  readonly clock: LocalClock;
  readonly machine: Machine;
  readonly lifecycle: Lifecycle;
  readonly tally = new BackendTally();
  readonly #world: World;
  readonly #random: Random;
  /** Those that use it, or would. */
  readonly #links = new Set<ServiceLink>();
  #process: BackendProcess | undefined;
  #connection: ConnectionState = 'ready';
  /** Faults that cut it off now. */
  #partitions = 0;
  /** Of every fault that makes its clock run fast or slow now. */
  readonly #clockRates: number[] = [];

  constructor(service: SimulatedService, group: BackendGroupSpec, index: number, world: World) {
    this.service = service;
    this.group = group;
    this.key = `${service.name}-${index}`;
    this.#world = world;
    this.#random = world.streams.next();
    this.clock = newClock(this.#random);
    this.machine = new Machine(world.kernel, group, (now) => this.process.run(now));
    this.lifecycle = new Lifecycle(this, world.kernel);
  }

  get locality(): string {
    return this.group.locality;
  }

  get process(): BackendProcess {
    this.#process ??= new BackendProcess(this, this.#world, this.#random);
    return this.#process;
  }

  get isPartitioned(): boolean {
    return this.#partitions > 0;
  }

  get pausedUntilMs(): number {
    return this.machine.pausedUntilMs;
  }

  /** As clients can see it. */
  get connection(): ConnectionState {
    return this.isPartitioned ? 'refusing' : this.#connection;
  }

  /** The fleet begins: it has been up for ever. */
  begin(): void {
    this.machine.start(this.service.spec, this.#world.streams);
  }

  /** Whoever is attached is told of what becomes of it. */
  attach(link: ServiceLink): void {
    this.#links.add(link);
  }

  detach(link: ServiceLink): void {
    this.#links.delete(link);
  }

  receive(attempt: Attempt, now: number): void {
    if (this.isPartitioned) return;
    if (this.#connection === 'refusing') this.send(attempt, 'connect-failed', undefined);
    else this.process.receive(attempt, now);
  }

  /** What to answer a probe with; undefined when there is no answer. */
  probe(now: number): LoadReport | undefined {
    const canAnswer = this.connection === 'ready' && !this.machine.isPaused;
    return canAnswer ? this.process.report(now) : undefined;
  }

  /** An answer sets out. */
  send(attempt: Attempt, outcome: Outcome, report: LoadReport | undefined): void {
    attempt.stage = 'to-client';
    attempt.outcome = outcome;
    attempt.report = report;
    const { process } = attempt.request.link!;
    if (this.isPartitioned || process.isPartitioned || attempt.isAbandoned) return;
    this.#world.kernel.after(this.#world.network.delayMs(this.locality, process.locality), attempt);
  }

  sampleCpu(now: number): void {
    if (this.machine.isPaused) return;
    this.process.guard.cpu.observe(this.machine.processor.usedMs(), this.clock.toLocal(now));
  }

  /** It asks for no more requests, and serves what still comes. */
  becomeLameDuck(): void {
    this.process.guard.gate.state = 'lame-duck';
    this.#tell('lame-duck');
  }

  becomeReady(now: number): void {
    const { gate } = this.process.guard;
    // One that was a lame duck for a while is as warm as before.
    if (gate.state === 'starting') this.process.readySinceMs = now;
    gate.state = 'ready';
    this.#tell('ready');
  }

  exit(): void {
    this.process.exit();
    this.#tell('refusing');
  }

  start(): void {
    this.#process = new BackendProcess(this, this.#world, this.#random);
    this.process.guard.gate.state = 'starting';
    this.#tell('connecting');
  }

  /** Nothing gets through any more. Nobody is told; health checks find out. */
  cutOff(): void {
    this.#partitions++;
    if (this.#partitions === 1) this.#noticeWithin(HEALTH_CHECK_MS, 2 * HEALTH_CHECK_MS);
  }

  /** The end of one such fault. */
  reconnect(): void {
    this.#partitions--;
    if (this.#partitions === 0) this.#noticeWithin(0, HEALTH_CHECK_MS);
  }

  /** Its clock leaps, and runs so many times as fast, on top of what else makes it so. */
  disturbClock(rate: number, jumpMs: number): void {
    this.#clockRates.push(rate);
    this.#setClock(jumpMs);
  }

  /** The end of one such fault. */
  restoreClock(rate: number): void {
    this.#clockRates.splice(this.#clockRates.indexOf(rate), 1);
    this.#setClock(0);
  }

  #setClock(jumpMs: number): void {
    const rate = this.#clockRates.reduce((product, each) => product * each, 1);
    this.clock.change(this.#world.kernel.now, rate, jumpMs);
  }

  #noticeWithin(leastMs: number, mostMs: number): void {
    for (const link of this.#links) {
      const noticedMs = leastMs + (mostMs - leastMs) * this.#random();
      this.#world.kernel.after(noticedMs, new Notice(link, this));
    }
  }

  #tell(connection: ConnectionState): void {
    this.#connection = connection;
    // Health checks find out, when they get through again.
    if (this.isPartitioned) return;
    for (const link of this.#links) {
      const delayMs = this.#world.network.reliableDelayMs(this.locality, link.process.locality);
      this.#world.kernel.after(delayMs, new Notice(link, this));
    }
  }
}
