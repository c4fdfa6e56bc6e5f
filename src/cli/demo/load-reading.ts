import { CRITICALITIES, type Criticality } from '../../core/index.js';
import type { LoadFigures, OutcomeCounts } from './messages.js';

/** What clients see, a second, of the last two. */
export interface LoadReading {
  readonly offeredPerSecond: number;
  readonly goodputPerSecond: number;
  readonly peakPerSecond: number;
  readonly refusedPerSecond: number;
  readonly failedPerSecond: number;
  readonly lateOrLostPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly byCriticality: Readonly<Record<Criticality, OutcomeCounts>>;
  readonly byCustomer: Readonly<Record<string, OutcomeCounts>>;
  /** Of what the fleet can serve; 0 before that is known. */
  readonly multiple: number;
  /** 0 before it is known. */
  readonly capacityPerSecond: number;
}

const NOTHING: OutcomeCounts = { offered: 0, served: 0, refused: 0 };

export function loadReadingOf(
  figures: LoadFigures | undefined,
  capacityPerSecond: number,
  peakPerSecond: number,
): LoadReading {
  const perSecond = (count = 0) =>
    rounded(figures === undefined || figures.ms <= 0 ? 0 : (count * 1_000) / figures.ms);
  const rates = ({ offered, served, refused }: OutcomeCounts): OutcomeCounts => ({
    offered: perSecond(offered),
    served: perSecond(served),
    refused: perSecond(refused),
  });
  const offeredPerSecond = perSecond(figures?.offered);
  return {
    offeredPerSecond,
    goodputPerSecond: perSecond(figures?.served),
    peakPerSecond: rounded(peakPerSecond),
    refusedPerSecond: perSecond(figures?.refused),
    failedPerSecond: perSecond(figures?.failed),
    lateOrLostPerSecond: perSecond(figures?.late),
    p50Ms: rounded(figures?.p50Ms ?? 0),
    p99Ms: rounded(figures?.p99Ms ?? 0),
    byCriticality: Object.fromEntries(
      CRITICALITIES.map((name) => [name, rates(figures?.byCriticality[name] ?? NOTHING)]),
    ) as LoadReading['byCriticality'],
    byCustomer: Object.fromEntries(
      Object.entries(figures?.byCustomer ?? {}).map(([name, counts]) => [name, rates(counts)]),
    ),
    multiple: capacityPerSecond === 0 ? 0 : rounded(offeredPerSecond / capacityPerSecond),
    capacityPerSecond: rounded(capacityPerSecond),
  };
}

/** Nobody reads further. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
