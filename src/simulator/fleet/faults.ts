import type { Random } from '../../core/environment.js';
import { Timer } from '../kernel/timer.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { FaultSpec } from './spec/index.js';
import type { World } from './world.js';

/** Everything that goes wrong, when it should. */
export class Faults {
  readonly #world: World;
  readonly #random: Random;
  /** When the last one is over, restarts not counted, whose end is not known beforehand. */
  healedMs = 0;

  constructor(world: World, faults: readonly FaultSpec[]) {
    this.#world = world;
    this.#random = world.streams.next();
    for (const fault of faults) this.#plan(fault);
  }

  #plan(fault: FaultSpec): void {
    const { atMs } = fault;
    const startMs = typeof atMs === 'number' ? atMs : atMs.from + (atMs.to - atMs.from) * this.#random();
    const victims = this.#choose(fault);
    const endMs = startMs + ('forMs' in fault ? fault.forMs : 0);
    this.healedMs = Math.max(this.healedMs, endMs);
    this.#world.kernel.at(startMs, new Timer(() => this.#begin(fault, victims)));
    this.#world.kernel.at(endMs, new Timer(() => this.#heal(fault, victims)));
  }

  #choose({ service, backends }: FaultSpec): readonly SimulatedBackend[] {
    const all = this.#world.service(service).backends;
    if (Array.isArray(backends)) return backends.flatMap((index) => all[index] ?? []);
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
    for (const victim of victims) this.#strike(fault, victim);
  }

  #strike(fault: Exclude<FaultSpec, { kind: 'restart' }>, victim: SimulatedBackend): void {
    switch (fault.kind) {
      case 'kill':
        victim.lifecycle.kill(fault.forMs);
        return;
      case 'slow':
        victim.machine.faultFactor = fault.factor;
        return;
      case 'partition':
        victim.isPartitioned = true;
        return;
      case 'lame-duck':
        victim.lifecycle.lameDuck(fault.forMs);
        return;
      case 'clock':
        victim.clock.change(this.#world.kernel.now, fault.rate, fault.jumpMs);
    }
  }

  #heal(fault: FaultSpec, victims: readonly SimulatedBackend[]): void {
    for (const victim of victims) {
      if (fault.kind === 'slow') victim.machine.faultFactor = 1;
      if (fault.kind === 'partition') victim.isPartitioned = false;
      if (fault.kind === 'clock') victim.clock.change(this.#world.kernel.now, 1, 0);
    }
  }

  /** So many at a time; the next ones when these are ready. */
  #restartNext(left: readonly SimulatedBackend[], batch: number): void {
    const now = left.slice(0, batch);
    let awaited = now.length;
    for (const backend of now) {
      backend.lifecycle.restart(() => {
        awaited--;
        if (awaited === 0) this.#restartNext(left.slice(batch), batch);
      });
    }
  }
}
