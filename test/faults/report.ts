import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import type { Outcome } from './run-faults.js';

/** What the figures were seen on. No date: the same machine says the same tomorrow. */
export interface Machine {
  readonly node: string;
  readonly redis: string;
  readonly system: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
}

export function readMachine(): Machine {
  const program = process.env['PLIMSOLL_REDIS_SERVER'] ?? 'redis-server';
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return {
    node: process.version,
    redis: /v=(\S+)/.exec(stdout ?? '')?.[1] ?? 'unknown',
    system: `${type()} ${release()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
  };
}

export function describeMachine({ node, redis, system, cpu, cores, memoryGb }: Machine): string {
  return `Node ${node}, Redis ${redis}, ${system}, ${cores} × ${cpu}, ${memoryGb} GB`;
}

export const COLUMNS = ['fault', 'what is done', 'promise', 'measured', 'holds'] as const;
export type Row = readonly [string, string, string, string, string];

/** A row for each promise; what is done stands in the first of a fault. */
export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  return outcomes.flatMap(({ fault, what, verdict, findings, why }): Row[] => {
    if (verdict === 'not possible here') return [[fault, what, '–', why ?? '', verdict]];
    const rows = findings.map(({ promise, measured, holds }): Row => ['', '', promise, measured, yes(holds)]);
    if (why !== undefined) rows.push(['', '', 'it comes to its end', why, yes(false)]);
    const [first, ...rest] = rows as [Row, ...Row[]];
    return [[fault, what, first[2], first[3], first[4]], ...rest];
  });
}

const yes = (holds: boolean): string => (holds ? 'yes' : '**no**');

/** As people read it in a terminal: fault by fault, since sentences make poor columns. */
export function printOutcomes(outcomes: readonly Outcome[]): void {
  for (const { fault, what, verdict, findings, why, seconds } of outcomes) {
    console.log(`\n${MARKS[verdict]} ${fault} (${seconds} s): ${what}`);
    for (const { promise, measured, holds } of findings)
      console.log(`    ${holds ? '✓' : '✗'} ${promise}: ${measured}`);
    if (why !== undefined) console.log(`    ${verdict === 'broken' ? '✗' : '–'} ${why}`);
  }
  const count = (wanted: Outcome['verdict']) => outcomes.filter(({ verdict }) => verdict === wanted).length;
  const promises = outcomes.reduce((sum, { findings }) => sum + findings.length, 0);
  console.log(
    `\n${outcomes.length} faults, ${promises} promises: ${count('holds')} hold, ${count('broken')} do not, ` +
      `${count('not possible here')} not possible here`,
  );
}

const MARKS: Record<Outcome['verdict'], string> = { holds: '✓', broken: '✗', 'not possible here': '–' };
