import { customerLines, limitLines } from './customer-lines.js';
import { eventLine, type SeenEvent } from './events.js';
import { flowLines, reasonLines, stateLines } from './guard-lines.js';
import { joined } from './lines.js';
import { plain } from './plain.js';
import type { Looks } from './rates.js';
import type { Seen, SeenLoad } from './seen.js';
import { serviceLines } from './service-lines.js';

/** All that is shown, in lines no longer than the screen is wide. */
export function viewLines(looks: Looks<Seen>, events: readonly SeenEvent[], width: number): string[] {
  const { now } = looks;
  return [
    ...stateLines(looks, width),
    ...loadLines(now.demo?.load, width),
    '',
    ...flowLines(looks, width),
    ...reasonLines(looks, width),
    ...serviceLines(looks, width),
    ...customerLines(now, width),
    ...limitLines(now, width),
    ...(events.length === 0 ? [] : ['', ...events.map((event) => eventLine(event, width))]),
  ].map(plain);
}

/** What the clients of the demo see. */
function loadLines(load: SeenLoad | undefined, width: number): string[] {
  if (load === undefined) return [];
  return [
    joined(
      [
        `clients offer ${load.offeredPerSecond.toFixed(0)}/s (${load.multiple.toFixed(1)}×)`,
        `goodput ${load.goodputPerSecond.toFixed(0)}/s`,
        `refused ${load.refusedPerSecond.toFixed(0)}/s`,
        `p50 ${load.p50Ms.toFixed(0)} ms`,
        `p99 ${load.p99Ms.toFixed(0)} ms`,
        `failed ${load.failedPerSecond.toFixed(1)}/s`,
        `late ${load.lateOrLostPerSecond.toFixed(1)}/s`,
      ],
      width,
    ),
  ];
}
