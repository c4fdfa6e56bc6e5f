/** Weighted round robin: a backend that does more for the same CPU gets more. Run: node pick-a-backend.js */
import { createPicker, type LoadReport, Roster } from 'plimsoll/core';
import { VirtualClock } from 'plimsoll/testing';

const reports: Record<string, LoadReport> = {
  'old-machine': { requestsPerSecond: 200, cpuUtilization: 0.8 },
  'new-machine': { requestsPerSecond: 200, cpuUtilization: 0.4 },
  'bad-release': { requestsPerSecond: 200, cpuUtilization: 0.4, errorsPerSecond: 80 },
};

const clock = new VirtualClock({ seed: 1 });
const roster = new Roster();
roster.update(Object.keys(reports));
for (const key of Object.keys(reports)) roster.mark(key, 'ready', clock.monotonicMs());
const picker = createPicker(roster, () => clock.random(), 'weighted');

const counts: Record<string, number> = {};
for (let request = 0; request < 30_000; request++) {
  clock.advance(1);
  const now = clock.monotonicMs();
  const pick = picker.pick(now);
  if (typeof pick === 'string') throw new Error(pick);
  const { key } = pick.backend;
  // Weights are used after a blackout of ten seconds; count from then on.
  if (now > 11_000) counts[key] = (counts[key] ?? 0) + 1;
  pick.done('answered', now, reports[key]);
}

const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
for (const [key, count] of Object.entries(counts))
  console.log(key, `${((100 * count) / total).toFixed(1)} %`);
