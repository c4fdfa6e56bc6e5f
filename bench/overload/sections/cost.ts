import type { Report } from '../../report.js';
import { atLeast, atMost } from '../checks.js';
import type { Lab } from '../lab.js';
import { ServerProcess } from '../server-process.js';
import type { ServerName } from '../servers/main.js';
import { median, roundTo } from '../statistics.js';

const CLIENTS = 50;
const ROUNDS = 10;
const ROUND_SECONDS = 0.5;

/**
 * For the compiler, and for a guard to find out that nobody asks it for the current request: it carries that along for
 * the first ten seconds, which on Node 20 costs 3 µs with each.
 */
const WARM_UP_SECONDS = 4;

interface Cost {
  readonly server: ServerName;
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** Requests per second and CPU time against the first of the servers, round by round: the median. */
  readonly speed: number;
  readonly cost: number;
}

/** Servers that do next to nothing, in short turns, so that what disturbs one round disturbs it for all. */
async function compare(lab: Lab, servers: readonly ServerName[]): Promise<Cost[]> {
  const perSecond = servers.map((): number[] => []);
  const cpu = servers.map((): number[] => []);
  for (let run = 1; run <= lab.options.runs; run++) {
    lab.say(`${servers.join(' · ')}: run ${run} of ${lab.options.runs}`);
    const started = await Promise.all(
      servers.map((server) => ServerProcess.start(lab.cores, server, 'hello')),
    );
    for (const server of started) await measureCost(lab, server, WARM_UP_SECONDS);
    for (let round = 0; round < ROUNDS; round++) {
      // Each is the first as often as the others.
      for (const turn of started.keys()) {
        const index = (turn + round) % started.length;
        const measured = await measureCost(lab, started[index]!, ROUND_SECONDS);
        perSecond[index]!.push(measured.perSecond);
        cpu[index]!.push(measured.cpuMicroseconds);
      }
    }
    await Promise.all(started.map((server) => server.stop()));
  }
  const ratio = (of: number[][], index: number) =>
    median(of[index]!.map((value, round) => value / of[0]![round]!));
  return servers.map((server, index) => ({
    server,
    perSecond: Math.round(median(perSecond[index]!)),
    cpuMicroseconds: roundTo(median(cpu[index]!), 1),
    speed: roundTo(ratio(perSecond, index), 3),
    cost: roundTo(ratio(cpu, index), 3),
  }));
}

async function measureCost(lab: Lab, server: ServerProcess, seconds: number) {
  await lab.generator.open(server.port, CLIENTS);
  const measured = await lab.saturate(server, { concurrency: CLIENTS, seconds });
  await lab.generator.close();
  return measured;
}

/** Exact accounting became cheaper with the async contexts of Node 24. */
const EXACT_SPEED = Number(process.versions.node.split('.')[0]) >= 24 ? 0.85 : 0.7;

/** The guard as it is by default, with its accounting sampled, against none, and against other kinds of it. */
export async function measureHello(lab: Lab): Promise<Report> {
  const rows = await compare(lab, [
    'bare',
    'plimsoll',
    'under-pressure',
    'plimsoll, CPU not accounted',
    'plimsoll, CPU exact',
  ]);
  const [, guarded, underPressure, unaccounted, exact] = rows.map(({ speed }) => speed);
  return {
    bench: 'overload: hello world',
    rows,
    checks: [
      atLeast('plimsoll: requests per second of bare node:http', guarded!, 0.9),
      atLeast('plimsoll: requests per second of under-pressure', guarded! / underPressure!, 1),
      atLeast('CPU sampled: requests per second of CPU not accounted', guarded! / unaccounted!, 0.95),
      atLeast('CPU exact: requests per second of CPU not accounted', exact! / unaccounted!, EXACT_SPEED),
    ],
  };
}

export async function measureRefusal(lab: Lab): Promise<Report> {
  const rows = await compare(lab, [
    'refusing: writeHead + end',
    'refusing: plimsoll',
    'refusing: plimsoll, public API',
  ]);
  return {
    bench: 'overload: CPU of a refusal',
    rows,
    checks: [atMost('early refusal: CPU of writeHead + end', rows[1]!.cost, 0.8)],
  };
}
