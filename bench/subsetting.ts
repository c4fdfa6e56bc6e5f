import { chooseSubset, type SubsettingAlgorithm } from 'plimsoll/core';
import type { Check, Report } from './report.js';

/** Milliseconds that one client's subset may take, by the number of backends. */
const CEILINGS = [
  [10_000, 5],
  [100_000, 60],
] as const;

const ALGORITHMS: readonly SubsettingAlgorithm[] = ['random', 'deterministic', 'rocksteadier'];
const ROUNDS = 21;

export function benchSubsetting(): Report {
  const rows: object[] = [];
  const checks: Check[] = [];
  for (const algorithm of ALGORITHMS) {
    for (const [backends, ceiling] of CEILINGS) {
      const keys = Array.from({ length: backends }, (_, index) => `backend-${index}`);
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const start = performance.now();
        chooseSubset(keys, { algorithm, size: 100, clientId: 12_345 + round });
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      const [bestMs, medianMs, worstMs] = [times[0]!, times[ROUNDS >> 1]!, times.at(-1)!];
      rows.push({ algorithm, backends, medianMs, bestMs, worstMs });
      checks.push({
        name: `${algorithm}, ${backends} backends × one client: ms`,
        value: Number(medianMs.toFixed(2)),
        bound: `<= ${ceiling}`,
        holds: medianMs <= ceiling,
      });
    }
  }
  return { bench: 'subsetting', rows, checks };
}
