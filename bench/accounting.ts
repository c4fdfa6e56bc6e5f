import { setTimeout as wait } from 'node:timers/promises';
import type { CpuMode, GuardSnapshot } from 'plimsoll/server';
import { chooseCores, forkOn } from './overload/cores.js';
import { stealPerProcessor } from './overload/load/calm.js';
import { Asked } from './overload/questions.js';
import type { Report } from './report.js';

interface Books {
  readonly truth: Record<
    string,
    { readonly clockMs: number; readonly cpuMs: number; readonly requests: number }
  >;
  readonly cpu: GuardSnapshot['cpu'];
  /** How long the server could have run, but somebody else did on its core. */
  readonly waitedMs: number;
}

const CLIENTS = 50;
const SECONDS = 10;
/** Of short requests: at 300 a second nothing would be compiled in time. */
const WARM_UP_SECONDS = 6;
/** The accounts are settled each second: what was used after the last time is in no book yet. */
const SETTLE_MS = 2_200;

const TRIES = 3;
/** To the clock in a handler a slice that waits for its core looks busy, and it is not: such a run has no truth to compare with. */
const MAX_LOST_SHARE = 0.01;

const KINDS = ['/small', '/large'];

/** How right the accounts of requests are, against slices that handlers time themselves. */
export async function benchAccounting(): Promise<Report[]> {
  const rows = [];
  const checks = [];
  for (const mode of ['exact', 'sampled'] as const) {
    console.error(`accounting: ${mode}, ${WARM_UP_SECONDS + SECONDS} s`);
    const { truth, cpu } = await measureInCalm(mode);
    for (const kind of KINDS) {
      const { clockMs, cpuMs, requests } = truth[kind]!;
      const account = cpu.byRoute.find(({ name }) => name === kind);
      const accountedMs = (account?.totalMs ?? 0) / (account?.requests ?? 1);
      const trueMs = cpuMs / requests;
      const ratio = accountedMs / trueMs;
      rows.push({ mode, kind, requests, clockMs: clockMs / requests, trueMs, accountedMs, ratio });
      checks.push(within(`${mode}, ${kind}: accounted of the truth`, ratio, 0.05));
    }
    const { requestsMs, overheadMs, otherGuardsMs, processMs } = cpu.total;
    const sum = (requestsMs + overheadMs + otherGuardsMs) / processMs;
    checks.push(within(`${mode}: requests and overhead of the process`, sum, 0.02));
  }
  return [{ bench: 'accounting', rows, checks }];
}

function within(name: string, value: number, tolerance: number) {
  return { name, value, bound: `1 ± ${tolerance}`, holds: Math.abs(value - 1) <= tolerance };
}

/** Again while the host, or another process, took the server's core away. */
async function measureInCalm(mode: CpuMode): Promise<Books> {
  for (let left = TRIES; ; left--) {
    const before = stolenMs();
    const books = await measure(mode);
    const lostShare = (stolenMs() - before + books.waitedMs) / (SECONDS * 1_000);
    if (lostShare <= MAX_LOST_SHARE || left === 1) return books;
    console.error(`  disturbed: others took ${(lostShare * 100).toFixed(1)} % of the time`);
  }
}

function stolenMs(): number {
  return Math.max(0, ...stealPerProcessor());
}

async function measure(mode: CpuMode): Promise<Books> {
  const cores = chooseCores();
  const start = (core: number | undefined, script: string) =>
    new Asked(forkOn(core, new URL(`./accounting/${script}.js`, import.meta.url)), script);
  const server = start(cores.server, 'server');
  const clients = start(cores.load, 'clients');
  try {
    const port = await server.ask<number>('listen', mode);
    await clients.ask('ask', ['/warm-up']);
    await clients.ask('start', { port, clients: CLIENTS });
    await wait(WARM_UP_SECONDS * 1_000);
    await server.ask('begin');
    await clients.ask('ask', KINDS);
    await wait(SECONDS * 1_000);
    await clients.ask('ask', []);
    await wait(SETTLE_MS);
    return await server.ask<Books>('books');
  } finally {
    await clients.stop();
    await server.stop();
  }
}
