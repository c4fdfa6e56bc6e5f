import { type ChildProcess, spawn } from 'node:child_process';
import { type BenchName, factsOf } from '../catalogue.js';
import { watchDisturbance } from './calm.js';
import { describeRun } from './measure-bench.js';
import { type BenchResult, COMMITTED, isShortened, readResult, SHORTENED, writeResult } from './result.js';

export interface RunPlan {
  readonly root: string;
  readonly names: readonly BenchName[];
  /** How each is called. */
  readonly flagsOf: (name: BenchName) => Readonly<Record<string, string>>;
  /** What Node is given to run one: it has to write its result. */
  readonly argsOf: (name: BenchName) => readonly string[];
  /** Where a child prints its tables: nowhere when somebody wants to read JSON. */
  readonly stdout: 'inherit' | 'ignore';
  readonly say: (line: string) => void;
  /** How long one may take; by default far more than it needs. */
  readonly limitMsOf?: (name: BenchName) => number;
  /** And how long it may stay when it has written its result: time to print it, and to stop what it has started. */
  readonly lingerMs?: number;
}

/** Something in passing breaks one in an hour; what is wrong breaks it twice. */
const TRIES = 2;

/** Whoever takes three times as long, and ten minutes, hangs. */
const MOST_TIMES = 3;
const SPARE_MS = 600_000;

const LINGER_MS = 10_000;
const LOOK_MS = 500;

/** What is shortened is over in about this, if it is not shorter anyway. */
const QUICK_SECONDS = 60;

/** One after the other, each in a process of its own. What is done is written, should the rest be broken off. */
export async function runAll(plan: RunPlan): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  plan.say(`${plan.names.length} benches, about ${minutes(plan, plan.names)}; leave the machine alone`);
  for (const [index, name] of plan.names.entries()) {
    const left = minutes(plan, plan.names.slice(index));
    plan.say(`${index + 1} of ${plan.names.length}: ${name}, about ${minutes(plan, [name])}; ${left} left`);
    const result = await runOne(plan, name);
    plan.say(summaryOf(result));
    results.push(result);
  }
  return results;
}

async function runOne(plan: RunPlan, name: BenchName): Promise<BenchResult> {
  for (let left = TRIES; ; left--) {
    const result = await tryOne(plan, name);
    if (result.failure === undefined || left === 1) return result;
    plan.say(`${name} could not run, is tried again: ${result.failure}`);
  }
}

async function tryOne(plan: RunPlan, name: BenchName): Promise<BenchResult> {
  const { root } = plan;
  const flags = plan.flagsOf(name);
  const started = new Date();
  const disturbance = watchDisturbance();
  const written = () => {
    const result = readResult(root, isShortened({ flags }) ? SHORTENED : COMMITTED, name);
    return result !== undefined && result.started >= started.toISOString() ? result : undefined;
  };
  const ending = await runChild(plan, name, () => written() !== undefined);
  const found = written();
  if (found !== undefined) return found;
  // It could not even say why.
  const result: BenchResult = {
    ...describeRun({ root, name, flags }, started),
    seconds: Math.round((Date.now() - started.getTime()) / 1_000),
    disturbance: disturbance(),
    failure: `its process ended by ${ending}`,
    reports: [],
  };
  writeResult(root, result);
  return result;
}

/** Resolves to how it ended. One that has written its result and stays, with something it did not stop, is ended. */
async function runChild(plan: RunPlan, name: BenchName, hasWritten: () => boolean): Promise<string> {
  const child = spawn(process.execPath, [...plan.argsOf(name)], {
    cwd: plan.root,
    stdio: ['ignore', plan.stdout, 'inherit'],
    // A group of its own, with all that it starts: servers, Redis, load.
    detached: true,
  });
  const endAll = () => {
    killGroup(child);
    process.exit(130);
  };
  process.on('SIGINT', endAll).on('SIGTERM', endAll);
  const limitMs = plan.limitMsOf?.(name) ?? factsOf(name).seconds * 1_000 * MOST_TIMES + SPARE_MS;
  let isLate = false;
  let lookedMs = 0;
  const looking = setInterval(() => {
    lookedMs = hasWritten() ? lookedMs + LOOK_MS : 0;
    if (lookedMs >= (plan.lingerMs ?? LINGER_MS)) killGroup(child);
  }, LOOK_MS);
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child);
  }, limitMs);
  try {
    return await new Promise<string>((resolve) => {
      child.on('error', ({ message }) => resolve(message));
      child.on('exit', (code, signal) =>
        resolve(isLate ? `us, after ${limitMs / 1_000} s` : (signal ?? `exit code ${code}`)),
      );
    });
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
    process.off('SIGINT', endAll).off('SIGTERM', endAll);
    // The next one should find nobody here.
    killGroup(child);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

function minutes({ root, flagsOf }: RunPlan, names: readonly BenchName[]): string {
  const seconds = names.reduce((sum, name) => sum + expectedSeconds(root, name, flagsOf(name)), 0);
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** As long as the last time, when that is known. */
function expectedSeconds(root: string, name: BenchName, flags: Readonly<Record<string, string>>): number {
  const { seconds } = factsOf(name);
  if (isShortened({ flags })) return Math.min(seconds, QUICK_SECONDS);
  const last = readResult(root, COMMITTED, name);
  return last === undefined || last.failure !== undefined ? seconds : last.seconds;
}

function summaryOf({ bench, failure, seconds, reports }: BenchResult): string {
  if (failure !== undefined) return `${bench} could not run: ${failure}`;
  const checks = reports.flatMap((report) => report.checks);
  const held = checks.filter(({ holds }) => holds).length;
  return `${bench}: ${held} of ${checks.length} checks hold, ${seconds} s`;
}
