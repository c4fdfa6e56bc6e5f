import * as z from 'zod';
import type { Random } from '../../core/environment.js';
import { Event } from '../kernel/event.js';
import type { Kernel } from '../kernel/kernel.js';
import {
  createDistribution,
  type Distribution,
  distributionSchema,
  drawExponential,
} from './distribution.js';
import { checkSpec, positiveSchema, shareSchema } from './spec.js';

/** Other tasks of the same machine, which use what they do not need to leave us. */
export const neighboursSchema = z.strictObject({
  /** Share of the time in which they leave us no more than our own cores, from 0 to 1. */
  busyShare: shareSchema,
  /** Cores left to us beyond our own while they are not busy. */
  idleCores: distributionSchema,
  /**
   * How many times as much our work costs while they are busy: caches, memory and clock rates are shared even where
   * cores are not. A draw below 1 counts as 1. By default 1, none.
   */
  slowdown: distributionSchema
    .refine((slowdown) => typeof slowdown !== 'number' || slowdown >= 1, 'slowdown must be >= 1')
    .optional(),
  /** Mean milliseconds from one change to the next; they are exponential. */
  redrawMs: positiveSchema,
});

export type NeighboursSpec = z.infer<typeof neighboursSchema>;

/** What they leave us, drawn anew at exponential intervals, independent of what it was before. */
export class Neighbours extends Event {
  readonly #kernel: Kernel;
  readonly #random: Random;
  readonly #apply: (idleCores: number, slowdown: number) => void;
  readonly #busyShare: number;
  readonly #idleCores: Distribution;
  readonly #slowdown: Distribution;
  readonly #redrawMs: number;

  constructor(
    kernel: Kernel,
    spec: NeighboursSpec,
    random: Random,
    apply: (idleCores: number, slowdown: number) => void,
  ) {
    super();
    const { busyShare, idleCores, slowdown, redrawMs } = checkSpec('neighbours', neighboursSchema, spec);
    this.#kernel = kernel;
    this.#random = random;
    this.#apply = apply;
    this.#busyShare = busyShare;
    this.#idleCores = createDistribution(idleCores);
    this.#slowdown = createDistribution(slowdown ?? 1);
    this.#redrawMs = redrawMs;
  }

  /** Draws the first state at once. */
  start(): void {
    this.happen();
  }

  happen(): void {
    if (this.#random() < this.#busyShare) this.#apply(0, Math.max(1, this.#slowdown.draw(this.#random)));
    else this.#apply(this.#idleCores.draw(this.#random), 1);
    this.#kernel.after(this.#redrawMs * drawExponential(this.#random), this);
  }
}
