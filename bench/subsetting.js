import { chooseSubset } from 'plimsoll/core';

/** Milliseconds that one client's subset may take, by the number of backends. */
const CEILINGS = [
  [10_000, 5],
  [100_000, 60],
];
const ALGORITHMS = ['random', 'deterministic', 'rocksteadier'];
const ROUNDS = 21;
export function benchSubsetting() {
  const rows = [];
  const checks = [];
  for (const algorithm of ALGORITHMS) {
    for (const [backends, ceiling] of CEILINGS) {
      const keys = Array.from({ length: backends }, (_, index) => `backend-${index}`);
      const times = [];
      for (let round = 0; round < ROUNDS; round++) {
        const start = performance.now();
        chooseSubset(keys, { algorithm, size: 100, clientId: 12_345 + round });
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      const [bestMs, medianMs, worstMs] = [times[0], times[ROUNDS >> 1], times.at(-1)];
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
