import type { Report } from '../../report.js';
import { atMost } from '../checks.js';
import { connectionsFor, type Lab } from '../lab.js';
import { median, roundTo } from '../statistics.js';

const MULTIPLE = 10;
const PIECE_SECONDS = 20;

/** Of what it was in the first third: caches fill and the heap finds its size before. */
const GROWTH = 1.1;

/** 10× for minutes: memory must come to rest. */
export async function measureSoak(lab: Lab, seconds: number): Promise<Report> {
  const peak = await lab.peak('plimsoll', 'sync');
  const perSecond = peak * MULTIPLE;
  const rows = await lab.withServer('plimsoll', 'sync', connectionsFor(perSecond), async (started) => {
    const pieces = [];
    for (let done = 0; done < seconds; done += PIECE_SECONDS) {
      const { steady, after } = await lab.floodOpened(started, perSecond, {
        seconds: PIECE_SECONDS,
        warmUpMs: 0,
        seed: done,
      });
      const { rssBytes, heapBytes, running } = after;
      pieces.push({
        minute: roundTo((done + PIECE_SECONDS) / 60, 2),
        share: roundTo(steady.goodput / peak, 3),
        p99Ms: roundTo(steady.good.p99Ms, 1),
        rssMb: roundTo(rssBytes / 1e6, 1),
        heapMb: roundTo(heapBytes / 1e6, 1),
        running,
      });
      lab.say(`soak: ${JSON.stringify(pieces.at(-1))}`);
    }
    return pieces;
  });
  const third = Math.max(1, Math.floor(rows.length / 3));
  const growth = (figure: (row: (typeof rows)[number]) => number) =>
    median(rows.slice(-third).map(figure)) / median(rows.slice(0, third).map(figure));
  return {
    bench: `overload: 10× for ${seconds} s`,
    rows,
    checks: [
      atMost(
        'memory of the process, last third against first',
        growth(({ rssMb }) => rssMb),
        GROWTH,
      ),
      atMost(
        'heap, last third against first',
        growth(({ heapMb }) => heapMb),
        GROWTH,
      ),
      atMost('requests running at the end', rows.at(-1)!.running, 0),
    ],
  };
}
