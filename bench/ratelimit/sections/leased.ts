import { RedisServer } from '../../../test/redis/redis-server.js';
import { atLeast, atMost } from '../../overload/checks.js';
import type { Asked } from '../../overload/questions.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { startChild } from '../child.js';
import type { LeasedOptions, LeasedWindow } from '../children/leased.js';

const LIMIT = 2_000_000;
const WINDOWS = 8;

/** Two processes that decide by leases, as fast as they can, on one key of one Redis. */
export async function measureLeased(): Promise<Report[]> {
  const server = await RedisServer.start();
  const children = [startChild(), startChild()];
  try {
    return [
      await decide(server.url, children, 'evenly', [1, 1]),
      await decide(server.url, children, 'nine to one', [0.9, 0.1]),
    ];
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await server.stop();
  }
}

async function decide(
  url: string,
  children: readonly Asked[],
  spread: string,
  busyParts: readonly number[],
): Promise<Report> {
  console.error(`ratelimit: leased, load spread ${spread}`);
  // A full second, far enough away for both to be there.
  const fromMs = Math.ceil(Date.now() / 1_000 + 2) * 1_000;
  const found = await Promise.all(
    children.map((child, i) => {
      const options: LeasedOptions = { url, limit: LIMIT, busyPart: busyParts[i]!, fromMs, windows: WINDOWS };
      return child.ask<LeasedWindow[]>('leased', options);
    }),
  );
  const windows = Array.from({ length: WINDOWS }, (_, i) => {
    const each = found.map((windowsOfOne) => windowsOfOne[i]!);
    const sum = (field: keyof LeasedWindow): number =>
      each.reduce((total, window) => total + window[field], 0);
    return { allowed: sum('allowed'), across: sum('across'), decisions: sum('decisions') };
  });
  // What a batch let pass across the begin of a window may belong to either: it is counted in both.
  const most = windows.map(({ allowed, across }, i) => allowed + across + (windows[i - 1]?.across ?? 0));
  const overshoot = Math.max(0, ...most.map((allowed) => allowed - LIMIT));
  const decisions = median(windows.map((window) => window.decisions));
  return {
    bench: `ratelimit: leased, 2 processes, load spread ${spread}`,
    rows: windows.map((window, second) => ({
      second,
      ...window,
      'of the limit': roundTo(window.allowed / LIMIT, 4),
    })),
    checks: [
      atLeast(`${spread}: decisions/s of both`, decisions, 5_000_000),
      atMost(`${spread}: let through beyond the limit`, overshoot, 0),
      atLeast(
        `${spread}: of the limit let through`,
        median(windows.map(({ allowed }) => allowed / LIMIT)),
        0.95,
      ),
    ],
  };
}
