import { setTimeout as wait } from 'node:timers/promises';
import type { Report } from '../../report.js';
import { atLeast, atMost } from '../checks.js';
import { connectionsFor, type Flooded, type Lab } from '../lab.js';
import type { ServerName } from '../servers/main.js';
import { median, roundTo } from '../statistics.js';

const BURST = 2_000;
const BURST_SECONDS = 0.05;
/** At 40,000 a second the generator is busy itself. */
const BURST_LAG_MS = 20;
const SHED_WITHIN_MS = 250;
const MULTIPLE = 10;
const LASTING_SECONDS = 3;

/** Both on a server that has worked a little and is idle. */
function burst(lab: Lab, server: ServerName): Promise<Flooded> {
  return lab.withServer(server, 'sync', BURST, async (started) => {
    await workALittle(lab);
    return lab.floodOpened(started, BURST / BURST_SECONDS, {
      seconds: BURST_SECONDS,
      spacing: 'even',
      warmUpMs: BURST_SECONDS * 1_000,
      tailMs: 0,
      // Who answers everybody after five seconds has answered, if not well.
      timeoutMs: 10_000,
      maxLagMs: BURST_LAG_MS,
    });
  });
}

function lastingOverload(lab: Lab, server: ServerName, peak: number): Promise<Flooded> {
  const perSecond = peak * MULTIPLE;
  return lab.withServer(server, 'sync', connectionsFor(perSecond), async (started) => {
    await workALittle(lab);
    return lab.floodOpened(started, perSecond, { seconds: LASTING_SECONDS, warmUpMs: 1_000 });
  });
}

async function workALittle(lab: Lab): Promise<void> {
  await lab.generator.saturate({ concurrency: 2, seconds: 1 });
  await wait(1_000);
}

export async function measureBurst(lab: Lab): Promise<Report> {
  const rows = [];
  for (const server of ['bare', 'plimsoll'] as const) {
    const runs = server === 'bare' ? 1 : lab.options.runs;
    const peak = await lab.peak(server, 'sync');
    const [answered, longestMs, settledMs, firstRefusalMs]: number[][] = [[], [], [], []];
    for (let run = 1; run <= runs; run++) {
      lab.say(`burst, ${server}: run ${run} of ${runs}`);
      // Whatever takes part in it: all are to be answered.
      const { first } = await burst(lab, server);
      answered!.push(first.good.count + first.refused.count);
      longestMs!.push(Math.max(first.good.maxMs, first.refused.maxMs));
      const flooded = await lab.undisturbed(() => lastingOverload(lab, server, peak));
      settledMs!.push(flooded.settledMs);
      firstRefusalMs!.push(flooded.firstRefusalMs ?? LASTING_SECONDS * 1_000);
    }
    rows.push({
      server,
      answered: Math.min(...answered!),
      longestMs: roundTo(median(longestMs!), 0),
      settledMs: median(settledMs!),
      firstRefusalMs: roundTo(median(firstRefusalMs!), 0),
    });
  }
  const { answered, settledMs, firstRefusalMs } = rows.at(-1)!;
  return {
    bench: 'overload: a burst of 2,000 in 50 ms, and the start of 10×',
    rows,
    checks: [
      atLeast('plimsoll: answered of a burst of 2,000', answered, BURST),
      atMost('plimsoll: lasting overload is shed within, ms', settledMs, SHED_WITHIN_MS),
      atMost('plimsoll: first refusal after, ms', firstRefusalMs, SHED_WITHIN_MS),
    ],
  };
}
