import type { BenchResult } from '../record/result.js';
import type { Report } from '../report.js';
import { figureAt, type Row, rowsOf } from './lookup.js';
import { ratio, withoutEmptyFigures } from './views.js';

/** How the overload bench names its handlers: ours and others are in reports of their own. */
export const HANDLERS = ['2 ms of CPU', '1 ms of CPU between three waits of 5 ms'] as const;

export const OURS = 'plimsoll';
export const LOADS = ['1×', '2×', '5×', '10×'] as const;

/** Floods of all servers with that handler, ours first; of one run. */
export function floodsOf(results: readonly BenchResult[], handler: string): Row[] {
  return [
    ...rowsOf(results, 'overload', `overload: ${handler}`),
    ...rowsOf(results, 'overload', `overload: peers, ${handler}`),
  ].map(withoutEmptyFigures);
}

export function serversOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ server }) => String(server)))];
}

/** What servers do at the same loads, and how much more ours does at the highest. */
export function floodsSideBySide(results: readonly BenchResult[]): Report[] {
  return HANDLERS.flatMap((handler) => {
    const rows = floodsOf(results, handler);
    const ours = figureAt(rows, { server: OURS, load: '10×' }, 'goodput');
    if (serversOf(rows).length < 2 || ours === undefined) return [];
    const loads = LOADS.filter((load) => rows.some((row) => row['load'] === load));
    return [
      {
        bench: `overload: side by side, ${handler}`,
        rows: serversOf(rows).map((server) => ({
          server,
          ...Object.fromEntries(
            loads.map((load) => [`good answers/s at ${load}`, figureAt(rows, { server, load }, 'goodput')]),
          ),
          'of its own peak at 10×': figureAt(rows, { server, load: '10×' }, 'share'),
          'p99 ms at 10×': figureAt(rows, { server, load: '10×' }, 'p99Ms'),
          'CRITICAL_PLUS served at 10×': figureAt(rows, { server, load: '10×' }, 'criticalPlus'),
          "plimsoll's good answers, to its": ratio(ours, figureAt(rows, { server, load: '10×' }, 'goodput')),
        })),
        checks: [],
      },
    ];
  });
}
