import type { Random } from '../../core/environment.js';
import type { Kernel } from '../kernel/kernel.js';
import { LocalClock } from '../models/index.js';
import type { Network } from './network.js';
import type { SimulatedService } from './simulated-service.js';
import type { Streams } from './streams.js';

/** What everything in a fleet shares. */
export interface World {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly streams: Streams;
  service(name: string): SimulatedService;
}

/** One process: a client or a backend. Its decisions know no other clock than its own. */
export interface Process {
  readonly clock: LocalClock;
  readonly locality: string;
  /** Nothing gets to it, and nothing from it to anyone. */
  readonly isPartitioned: boolean;
  /** Until then it stands still, and what comes has to wait. */
  readonly pausedUntilMs: number;
}

/** Clocks of different processes begin anywhere: whoever mixes two of them up is found out. */
const CLOCK_ORIGINS_MS = 1_000_000;

export function newClock(random: Random): LocalClock {
  return new LocalClock(Math.floor(random() * CLOCK_ORIGINS_MS));
}
