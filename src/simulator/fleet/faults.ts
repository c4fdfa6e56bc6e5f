import type { Random } from '../../core/environment.js';
import { Timer } from '../kernel/timer.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { BackendFaultSpec, FaultSpec } from './spec/index.js';
import type { World } from './world.js';

/** Everything that goes wrong, when it should. */
export class Faults {
  readonly #world: World;
  readonly #random: Random;
  #unhealed = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #healedMs = 0;

  constructor(world: World, faults: readonly FaultSpec[]) {
    this.#world = world;
    this.#random = world.streams.next();
    for (const fault of faults) this.#plan(fault);
  }

  /** When the first one begins; Infinity when there are none. */
  get firstMs(): number {
    return this.#firstMs;
  }

  /** Since when all are over: every process that died is ready again, everything slow is fast. Undefined: not yet. */
  get healedMs(): number | undefined {
    return this.#unhealed === 0 ? this.#healedMs : undefined;
  }

  #plan(fault: FaultSpec): void {
    const { atMs } = fault;
    const startMs = typeof atMs === 'number' ? atMs : atMs.from + (atMs.to - atMs.from) * this.#random();
    const victims = 'backends' in fault ? this.#choose(fault) : [];
    this.#unhealed++;
    this.#firstMs = Math.min(this.#firstMs, startMs);
    this.#world.kernel.at(startMs, new Timer(() => this.#begin(fault, victims)));
  }

  #healed(): void {
    this.#unhealed--;
    this.#healedMs = this.#world.kernel.now;
  }

  #choose({ service, backends }: BackendFaultSpec): readonly SimulatedBackend[] {
    const all = this.#world.service(service).backends;
    if (Array.isArray(backends)) return backends.map((index) => all[index]!);
    if (typeof backends === 'object') return all.filter(({ locality }) => locality === backends.locality);
    const left = [...all];
    const drawn: SimulatedBackend[] = [];
    while (drawn.length < backends && left.length > 0) {
      drawn.push(...left.splice(Math.floor(this.#random() * left.length), 1));
    }
    return drawn;
  }

  #begin(fault: FaultSpec, victims: readonly SimulatedBackend[]): void {
    if (fault.kind === 'restart') {
      this.#restartNext(victims, fault.batch);
      return;
    }
    if (!('backends' in fault)) {
      this.#interrupt(fault);
      return;
    }
    for (const victim of victims) this.#strike(fault, victim);
    this.#world.kernel.after(fault.forMs, new Timer(() => this.#heal(fault, victims)));
  }

  #strike(fault: Exclude<BackendFaultSpec, { kind: 'restart' }>, victim: SimulatedBackend): void {
    switch (fault.kind) {
      case 'kill':
        victim.lifecycle.kill(fault.forMs);
        return;
      case 'slow':
        victim.machine.slowDown(fault.factor);
        return;
      case 'partition':
        victim.cutOff();
        return;
      case 'lame-duck':
        victim.lifecycle.lameDuck(fault.forMs);
        return;
      case 'clock':
        victim.disturbClock(fault.rate, fault.jumpMs);
    }
  }

  #heal(fault: FaultSpec, victims: readonly SimulatedBackend[]): void {
    for (const victim of victims) {
      if (fault.kind === 'slow') victim.machine.speedUp(fault.factor);
      if (fault.kind === 'partition') victim.reconnect();
      if (fault.kind === 'clock') victim.restoreClock(fault.rate);
    }
    this.#whenAllUp(victims, () => this.#healed());
  }

  /** Not of backends: they find out by themselves. */
  #interrupt({ kind, service, forMs }: Exclude<FaultSpec, BackendFaultSpec>): void {
    const { exchange } = this.#world.service(service);
    if (kind === 'coordinator-gone') exchange!.loseCoordinator();
    else exchange!.cutOff();
    const heal = () => {
      if (kind === 'coordinator-gone') exchange!.replaceCoordinator();
      else exchange!.reconnect();
      this.#healed();
    };
    this.#world.kernel.after(forMs, new Timer(heal));
  }

  /** So many at a time; the next ones when these are ready. */
  #restartNext(left: readonly SimulatedBackend[], batch: number): void {
    const now = left.slice(0, batch);
    if (now.length === 0) {
      this.#healed();
      return;
    }
    for (const { lifecycle } of now) lifecycle.restart();
    this.#whenAllUp(now, () => this.#restartNext(left.slice(batch), batch));
  }

  #whenAllUp(backends: readonly SimulatedBackend[], then: () => void): void {
    let awaited = backends.length;
    for (const { lifecycle } of backends) {
      lifecycle.whenUp(() => {
        awaited--;
        if (awaited === 0) then();
      });
    }
  }
}
