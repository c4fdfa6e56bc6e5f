import type { BenchName } from '../catalogue.js';
import type { Report } from '../report.js';
import { busyShare, watchDisturbance } from './calm.js';
import { machineHere, revisionOf, versionsOf } from './machine.js';
import type { BenchResult } from './result.js';

export interface Measuring {
  readonly root: string;
  readonly name: BenchName;
  readonly flags: Readonly<Record<string, string>>;
  /** Whether somebody will ask what the figures are worth: then the machine is looked at before. */
  readonly writes: boolean;
}

/** All of a result but what was found. */
export function describeRun({ root, name, flags }: Omit<Measuring, 'writes'>, started: Date) {
  return {
    bench: name,
    revision: revisionOf(root),
    started: started.toISOString(),
    machine: machineHere(),
    versions: versionsOf(name, root),
    flags,
  };
}

/** Runs a bench, and takes down what it says, when, and on what. A bench that cannot run has a result as well. */
export async function measureBench(
  measuring: Measuring,
  run: () => Promise<Report[]>,
): Promise<{ result: BenchResult; error: unknown }> {
  const started = new Date();
  const described = describeRun(measuring, started);
  const busyBefore = measuring.writes ? { busyBefore: await busyShare() } : {};
  const disturbance = watchDisturbance();
  const finish = (found: Pick<BenchResult, 'reports' | 'failure'>): BenchResult => ({
    ...described,
    seconds: Math.round((Date.now() - started.getTime()) / 1_000),
    disturbance: { ...disturbance(), ...busyBefore },
    ...found,
  });
  try {
    return { result: finish({ reports: await run() }), error: undefined };
  } catch (error) {
    const failure = failureText(error, measuring.root);
    return { result: finish({ failure, reports: [] }), error };
  }
}

/** Without where in which file, and without the folders of this machine: the result is for others. */
function failureText(error: unknown, root: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => !/^\s+at /.test(line));
  return lines.join('\n').replaceAll(root, '.');
}
