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
import { checkSpec, positiveSchema } from './spec.js';

/** Stops of a whole process, as of a garbage collector. */
export const pausesSchema = z.strictObject({
  /** Mean milliseconds from the end of one to the start of the next; they are exponential. */
  everyMs: positiveSchema,
  /** Milliseconds each one lasts. */
  forMs: distributionSchema,
});

export type PausesSpec = z.infer<typeof pausesSchema>;

/** One pause after another, never two at once. Who is told of one stops until that instant by itself. */
export class Pauses extends Event {
  readonly #kernel: Kernel;
  readonly #random: Random;
  readonly #onPause: (untilMs: number) => void;
  readonly #everyMs: number;
  readonly #forMs: Distribution;

  constructor(kernel: Kernel, spec: PausesSpec, random: Random, onPause: (untilMs: number) => void) {
    super();
    const { everyMs, forMs } = checkSpec('pauses', pausesSchema, spec);
    this.#kernel = kernel;
    this.#random = random;
    this.#onPause = onPause;
    this.#everyMs = everyMs;
    this.#forMs = createDistribution(forMs);
  }

  /** Of a process that starts running now: its first pause comes after a while. */
  start(): void {
    this.#scheduleAfter(this.#kernel.now);
  }

  happen(now: number): void {
    const untilMs = now + this.#forMs.draw(this.#random);
    this.#onPause(untilMs);
    this.#scheduleAfter(untilMs);
  }

  #scheduleAfter(instantMs: number): void {
    this.#kernel.at(instantMs + this.#everyMs * drawExponential(this.#random), this);
  }
}
