import { atLeast } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { askChild } from '../child.js';
import type { Speed, SpeedOptions } from '../children/speed.js';

const ROUNDS = 9;

/** Decisions in memory, on one core, beside the limiter that most Node services use. */
export async function measureSpeed(): Promise<Report[]> {
  const reports: Report[] = [];
  for (const keys of [1, 100_000]) {
    const named = keys === 1 ? 'one key' : `${keys.toLocaleString('en')} keys`;
    console.error(`ratelimit: speed, ${named}`);
    const options: SpeedOptions = { keys, rounds: ROUNDS };
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
        atLeast(`${named}: takeNow to rate-limiter-flexible`, ratioOf('plimsoll, takeNow'), 4),
        atLeast(`${named}: await take to rate-limiter-flexible`, ratioOf('plimsoll, await take'), 1.5),
      ],
    });
  }
  return reports;
}
