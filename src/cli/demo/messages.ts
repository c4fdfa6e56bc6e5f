import type { Criticality } from '../../core/index.js';
import type { LoadPlan } from './load/load-plan.js';

/** What the processes of the demo tell each other. */

/** Of every child, now and then: what it has used of processors so far. */
export interface CpuNews {
  readonly kind: 'cpu';
  readonly ms: number;
}

export interface BackendOptions {
  readonly name: string;
  readonly port: number;
  /** 1 is the speed of the machine. */
  readonly speed: number;
  /** How many times longer everything takes. */
  readonly slowdown: number;
  readonly roundsPerMs: number;
  readonly isGuarded: boolean;
}

export type BackendOrder =
  | { readonly kind: 'start'; readonly options: BackendOptions }
  | { readonly kind: 'slowdown'; readonly times: number }
  | { readonly kind: 'guard'; readonly isOn: boolean }
  | { readonly kind: 'lame-duck' };

export type BackendNews =
  | { readonly kind: 'listening' }
  | { readonly kind: 'failed'; readonly message: string };

export type LoadOrder =
  /** Where to send requests. */
  | { readonly kind: 'start'; readonly origin: string }
  /** As much as is served, for so long. */
  | { readonly kind: 'measure'; readonly ms: number }
  | { readonly kind: 'offer'; readonly plan: LoadPlan }
  /** From now on, for a total. */
  | { readonly kind: 'count' }
  | { readonly kind: 'total' };

export type LoadNews =
  | { readonly kind: 'measured'; readonly perSecond: number }
  | { readonly kind: 'recent'; readonly figures: LoadFigures }
  | { readonly kind: 'total'; readonly figures: LoadFigures };

export interface OutcomeCounts {
  readonly offered: number;
  readonly served: number;
  readonly refused: number;
}

/** What became of the requests of some time. */
export interface LoadFigures {
  readonly ms: number;
  readonly offered: number;
  /** Answered with 200 within the deadline. */
  readonly served: number;
  /** 429 and 503. */
  readonly refused: number;
  /** Any other answer, or a connection that broke. */
  readonly failed: number;
  /** Answered too late, given up, or never sent. */
  readonly late: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly byCriticality: Readonly<Record<Criticality, OutcomeCounts>>;
  readonly byCustomer: Readonly<Record<string, OutcomeCounts>>;
}
