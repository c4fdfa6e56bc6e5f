import type { Check, Report } from '../../report.js';
import { atLeast, atMost } from '../checks.js';
import { type FloodRow, floodAtMultiples } from '../flood-table.js';
import type { Lab } from '../lab.js';
import type { ServerName } from '../servers/main.js';

/** What each load has to leave of the guard's own peak. */
const SYNC_SHARES: Record<string, number> = { '2×': 0.95, '5×': 0.9, '10×': 0.87 };
const SYNC_PUBLIC_SHARE = 0.8;
const SYNC_P99_MS = 60;
const ASYNC_SHARE = 0.82;
const ASYNC_P99_MS = 120;
const REFUSAL_P50_MS = 5;

/** A handler that computes for 2 ms. */
export async function measureSync(lab: Lab): Promise<Report> {
  const guarded = await floodAtMultiples(lab, 'plimsoll', 'sync', [1, 2, 5, 10], lab.options);
  const byPublicMeans = await floodAtMultiples(lab, 'plimsoll, public API', 'sync', [10], lab.options);
  const checks = [
    ...guarded
      .filter(({ load }) => load in SYNC_SHARES)
      .flatMap((row) => checksOf(row, SYNC_SHARES[row.load]!, SYNC_P99_MS)),
    ...byPublicMeans.flatMap((row) => checksOf(row, SYNC_PUBLIC_SHARE, SYNC_P99_MS)),
  ];
  return { bench: 'overload: 2 ms of CPU', rows: [...guarded, ...byPublicMeans], checks };
}

/** A handler that waits three times and computes for 1 ms. */
export async function measureAsync(lab: Lab): Promise<Report> {
  const rows = await floodAtMultiples(lab, 'plimsoll', 'async', [1, 10], lab.options);
  const checks = rows
    .filter(({ load }) => load === '10×')
    .flatMap((row) => checksOf(row, ASYNC_SHARE, ASYNC_P99_MS));
  return { bench: 'overload: 1 ms of CPU between three waits of 5 ms', rows, checks };
}

function checksOf(row: FloodRow, share: number, p99Ms: number): Check[] {
  const name = `${row.server} at ${row.load}`;
  return [
    atLeast(`${name}: goodput of its own peak`, row.share, share),
    atMost(`${name}: p99 of answers, ms`, row.p99Ms, p99Ms),
    atMost(`${name}: p50 of refusals, ms`, row.refusalP50Ms, REFUSAL_P50_MS),
    atLeast(`${name}: CRITICAL_PLUS requests served`, row.criticalPlus, 1),
    atMost(`${name}: requests that found no free connection, per second`, row.unsentPerSecond, 0),
  ];
}

const PEERS: readonly ServerName[] = [
  'bare',
  'under-pressure',
  'under-pressure, 50 ms sampling',
  'toobusy-js',
  'overload-protection',
];

/** Shorter, and once each: they are there to be compared with, not to be checked. */
const PEER_SECONDS = 5;
/** At twice its peak it takes an unprotected server a second until everybody waits for longer than a second. */
const PEER_WARM_UP_MS = 2_000;

export async function measurePeers(lab: Lab): Promise<Report[]> {
  const [sync, async]: FloodRow[][] = [[], []];
  const times = { runs: 1, seconds: PEER_SECONDS, warmUpMs: PEER_WARM_UP_MS };
  for (const peer of PEERS) {
    sync!.push(...(await floodAtMultiples(lab, peer, 'sync', [1, 2, 5, 10], times)));
    async!.push(...(await floodAtMultiples(lab, peer, 'async', [10], times)));
  }
  return [
    { bench: 'overload: peers, 2 ms of CPU', rows: sync!, checks: [] },
    { bench: 'overload: peers, 1 ms of CPU between three waits of 5 ms', rows: async!, checks: [] },
  ];
}
