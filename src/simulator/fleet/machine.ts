import type { Random } from '../../core/environment.js';
import type { Kernel } from '../kernel/kernel.js';
import { Timer } from '../kernel/timer.js';
import { Neighbours, Pauses, Processor } from '../models/index.js';
import type { BackendGroupSpec, ServiceSpec } from './spec/index.js';
import type { Streams } from './streams.js';

/** The share of a machine that one backend owns, and what its neighbours, its pauses and its faults leave of it. */
export class Machine {
  readonly processor: Processor;
  readonly #kernel: Kernel;
  readonly #group: BackendGroupSpec;
  readonly #wake: Timer;
  #idleCores = 0;
  #slowdown = 1;
  /** Of every fault that makes it slow now. */
  readonly #faultFactors: number[] = [];
  #faultFactor = 1;
  #pausedUntilMs = 0;

  constructor(kernel: Kernel, group: BackendGroupSpec, onWake: (now: number) => void) {
    this.#kernel = kernel;
    this.#group = group;
    this.processor = new Processor(kernel, group.cores, group.speed);
    this.#wake = new Timer((now) => {
      this.#setCapacity();
      onWake(now);
    });
  }

  /** Its life begins; streams of chance of its own, whatever else the backend draws. */
  start({ pauses }: ServiceSpec, streams: Streams): void {
    const { neighbours } = this.#group;
    const [neighboursRandom, pausesRandom]: Random[] = [streams.next(), streams.next()];
    if (neighbours !== undefined) {
      const apply = (idleCores: number, slowdown: number) => this.#onNeighbours(idleCores, slowdown);
      new Neighbours(this.#kernel, neighbours, neighboursRandom!, apply).start();
    }
    if (pauses !== undefined) {
      new Pauses(this.#kernel, pauses, pausesRandom!, (untilMs) => this.pause(untilMs)).start();
    }
  }

  /** The process stands still until then. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#kernel.at(this.#pausedUntilMs, this.#wake);
    this.#setCapacity();
  }

  get isPaused(): boolean {
    return this.#kernel.now < this.#pausedUntilMs;
  }

  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** Everything takes so many times the CPU, on top of what else makes it slow. */
  slowDown(factor: number): void {
    this.#faultFactors.push(factor);
    this.#multiply();
  }

  /** The end of one such fault. */
  speedUp(factor: number): void {
    this.#faultFactors.splice(this.#faultFactors.indexOf(factor), 1);
    this.#multiply();
  }

  /** CPU-seconds that work of so many milliseconds, on a core of speed 1, comes to here and now. */
  cpuSeconds(costMs: number): number {
    return (costMs * this.#slowdown * this.#faultFactor) / this.#group.speed / 1_000;
  }

  /** Anew each time: dividing would leave a rounding behind. */
  #multiply(): void {
    this.#faultFactor = this.#faultFactors.reduce((product, factor) => product * factor, 1);
    this.#setCapacity();
  }

  #onNeighbours(idleCores: number, slowdown: number): void {
    this.#idleCores = idleCores;
    this.#slowdown = slowdown;
    this.#setCapacity();
  }

  #setCapacity(): void {
    const cores = this.isPaused ? 0 : this.#group.cores + this.#idleCores;
    this.processor.setCapacity(cores, this.#group.speed / (this.#slowdown * this.#faultFactor));
  }
}
