import { atLeast } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { askChild } from '../child.js';
import type { Speed, SpeedOptions } from '../children/speed.js';

const ROUNDS = 9;

/** A server makes the key out of the request: no string comes twice, and its letters must be compared. */
const CASES = [
  { named: 'one key', keys: 1, isFresh: false },
  {
    named: '100,000 keys, the same strings',
    keys: 100_000,
    isFresh: false,
    why:
      'A string that was made long ago has to be fetched from memory before its state can be looked for: two waits where ' +
      'strings made anew have one. They are most of what is measured, and differ by what else uses the caches.',
  },
  { named: '100,000 keys, strings made anew', keys: 100_000, isFresh: true },
];

/** Decisions in memory, on one core, beside the limiter that most Node services use. */
export async function measureSpeed(): Promise<Report[]> {
  const reports: Report[] = [];
  for (const { named, why, ...which } of CASES) {
    console.error(`ratelimit: speed, ${named}`);
    const options: SpeedOptions = { ...which, rounds: ROUNDS };
    const speeds = await askChild<Speed[]>('speed', options);
    const ratioOf = (name: string) => speeds.find((speed) => speed.name === name)!.ratio;
    reports.push({
      bench: `ratelimit: decisions in memory, ${named}`,
      rows: speeds.map(({ name, perSecond, ratio }) => ({
        name,
        'decisions/s': Math.round(perSecond),
        'to the peer': roundTo(ratio, 2),
      })),
      checks: [
        atLeast(`${named}: takeNow to rate-limiter-flexible`, ratioOf('plimsoll, takeNow'), 4, why),
        atLeast(`${named}: await take to rate-limiter-flexible`, ratioOf('plimsoll, await take'), 1.5),
      ],
    });
  }
  return reports;
}
