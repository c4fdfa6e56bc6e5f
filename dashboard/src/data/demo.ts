import type { Criticality } from '../../../src/core/criticality.js';

/** What only the demo has: things to turn, and what its own load sees. */
export interface DemoSnapshot {
  readonly controls: readonly Control[];
  readonly load?: LoadReading;
  readonly backends?: readonly DemoBackend[];
  readonly quotaNote?: string;
}

export interface Control {
  readonly name: string;
  readonly label: string;
  readonly kind: 'range' | 'choice' | 'toggle' | 'action';
  readonly value?: number | string | boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly options?: readonly { readonly value: string | number; readonly label: string }[];
  /** What it does, and what to look at. */
  readonly sentence: string;
  /** What to ask before it is done. */
  readonly confirm?: string;
  readonly group: string;
}

/** Of the last second or two, as the generator of the load sees it. */
export interface LoadReading {
  readonly offeredPerSecond: number;
  readonly goodputPerSecond: number;
  readonly peakPerSecond: number;
  readonly refusedPerSecond: number;
  readonly failedPerSecond: number;
  readonly lateOrLostPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly byCriticality: Readonly<Partial<Record<Criticality, Share>>>;
  readonly byCustomer: Readonly<Record<string, Share>>;
  /** Of what the fleet can do. */
  readonly multiple: number;
  readonly capacityPerSecond: number;
}

/** A second's worth. */
export interface Share {
  readonly offered: number;
  readonly served: number;
  readonly refused: number;
}

export interface DemoBackend {
  readonly name: string;
  readonly url: string;
  readonly pid?: number;
  readonly speed?: number;
  readonly state?: string;
}
