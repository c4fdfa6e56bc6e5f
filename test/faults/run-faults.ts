import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type Finding, NotPossible } from './fault.js';
import { Stage } from './stage.js';

/** What came of one fault. */
export interface Outcome {
  readonly fault: string;
  readonly what: string;
  readonly verdict: 'holds' | 'broken' | 'not possible here';
  readonly findings: readonly Finding[];
  /** Why it was not possible, or what went wrong besides. */
  readonly why?: string;
  readonly seconds: number;
}

/** One after the other: each has the machine to itself, as far as others let it. */
export async function runFaults(faults: readonly Fault[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, fault] of faults.entries()) {
    console.error(`faults: ${fault.name} (${index + 1} of ${faults.length}): ${fault.what}`);
    const outcome = await runFault(fault);
    console.error(`faults: ${fault.name}: ${outcome.verdict}, ${outcome.seconds} s`);
    outcomes.push(outcome);
  }
  return outcomes;
}

export async function runFault({ name, what, withinSeconds, run }: Fault): Promise<Outcome> {
  const stage = new Stage(name);
  const beganMs = performance.now();
  const late = sleep(withinSeconds * 1_000, undefined, { ref: false }).then((): never => {
    throw new Error(`not over within ${withinSeconds} s`);
  });
  late.catch(() => {});
  let judged: Pick<Outcome, 'verdict' | 'findings' | 'why'>;
  try {
    judged = judge(await Promise.race([run(stage), late]));
  } catch (error) {
    judged = explain(error);
  } finally {
    await stage.strike();
  }
  return { fault: name, what, ...judged, seconds: Math.round((performance.now() - beganMs) / 100) / 10 };
}

function judge(findings: readonly Finding[]): Pick<Outcome, 'verdict' | 'findings' | 'why'> {
  // With nothing found, nothing was tried.
  if (findings.length === 0) return { verdict: 'broken', findings, why: 'nothing was measured' };
  return { verdict: findings.every(({ holds }) => holds) ? 'holds' : 'broken', findings };
}

function explain(error: unknown): Pick<Outcome, 'verdict' | 'findings' | 'why'> {
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof NotPossible) return { verdict: 'not possible here', findings: [], why };
  return { verdict: 'broken', findings: [], why };
}
