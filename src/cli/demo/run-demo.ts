import { setTimeout as wait } from 'node:timers/promises';
import { ListenError } from '../../gateway/index.js';
import { onSignals } from '../../server/lifecycle/signals.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { Demo } from './demo.js';
import type { DemoArgs } from './demo-args.js';
import { openInBrowser } from './open-in-browser.js';
import { checkPort } from './port-check.js';
import { divisionOf } from './processor-use.js';
import { type Summary, summaryOf } from './summary.js';
import { summaryText } from './summary-text.js';
import { UtilizationSpread } from './utilization-spread.js';

/** Part of the time, and so long at the most: weights, throttles and limits of concurrency settle. */
const SETTLE_SHARE = 0.25;
const MOST_SETTLE_MS = 5_000;
const LOOK_MS = 500;
const PROGRESS_EVERY = 10;

/** Returns the exit code. */
export async function runDemo(args: DemoArgs, terminal: Terminal): Promise<number> {
  const { note } = terminal;
  // Whoever reads the output wants the summary alone.
  const print = args.isJson ? note : terminal.print;
  const startMs = terminal.nowMs();
  let break_: (error: Error) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    break_ = reject;
  });
  broken.catch(() => {});
  const demo = await open(args, note, (why) => break_(new Error(why)));
  print(`the page is at ${demo.page}`);
  note(`six backends and a gateway (${demo.origin}) run, after ${seconds(terminal.nowMs() - startMs)}`);
  if (args.opens) openInBrowser(await demo.writeLead(), note);
  try {
    await Promise.race([demo.begin(), broken]);
    note(
      `the fleet can serve ${demo.capacityPerSecond.toFixed(0)} requests a second; asked for: ${args.load} times that`,
    );
    if (args.forMs === undefined) {
      note('Ctrl-C ends it');
      return await broken;
    }
    const summary = await Promise.race([observe(demo, args.forMs, note), broken]);
    terminal.print(args.isJson ? JSON.stringify(summary, null, 2) : summaryText(summary));
    return 0;
  } finally {
    await demo.close();
  }
}

/** What people can mend is said in a line. */
async function open(
  { load, port, redis }: DemoArgs,
  note: (line: string) => void,
  onBroken: (why: string) => void,
): Promise<Demo> {
  let demo: Demo | undefined;
  // Before there is anything: whoever ends it in its first second leaves as little behind as later.
  onSignals(async () => demo?.close());
  try {
    await checkPort(port);
    demo = new Demo({ load, port, redis, note, onBroken });
    await demo.open();
    return demo;
  } catch (error) {
    await demo?.close();
    if (!(error instanceof ListenError)) throw error;
    throw new UsageError(`${error.message}; --port 0 takes any that is free`);
  }
}

async function observe(demo: Demo, forMs: number, note: (line: string) => void): Promise<Summary> {
  const settleMs = Math.min(MOST_SETTLE_MS, SETTLE_SHARE * forMs);
  await wait(settleMs);
  demo.count();
  const before = demo.processorUse();
  const used = new UtilizationSpread();
  const looks = Math.round((forMs - settleMs) / LOOK_MS);
  for (let look = 1; look <= looks; look++) {
    await wait(LOOK_MS);
    for (const [backend, utilization] of demo.utilizations()) used.observe(backend, utilization);
    if (look % PROGRESS_EVERY === 0) note(progressLine(demo, settleMs + look * LOOK_MS));
  }
  const { elsewhere, isDisturbed } = divisionOf(before, demo.processorUse());
  if (isDisturbed)
    note(`other programs took ${(100 * elsewhere).toFixed(0)} % of this machine: goodput is less for that`);
  return summaryOf(await demo.total(), {
    capacity: demo.capacityPerSecond,
    peak: demo.peakPerSecond,
    used: used.spread,
    elsewhere,
  });
}

function progressLine(demo: Demo, atMs: number): string {
  const { offeredPerSecond, goodputPerSecond, refusedPerSecond, p99Ms } = demo.part().load;
  return `${seconds(atMs)}: ${goodputPerSecond.toFixed(0)} of ${offeredPerSecond.toFixed(0)} a second served, ${refusedPerSecond.toFixed(0)} refused, p99 ${p99Ms.toFixed(0)} ms`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
