import { type GrpcFlags, grpcOptions } from './grpc/options.js';
import { plimsollClient } from './grpc/restart/clients.js';
import { restartUnderLoad } from './grpc/restart/rolling-restart.js';
import type { GrpcServerName } from './grpc/servers/main.js';
import { atLeast, atMost } from './overload/checks.js';
import { type FloodRow, floodAtMultiples } from './overload/flood-table.js';
import { DISTURBED, Lab } from './overload/lab.js';
import { roundTo } from './overload/statistics.js';
import type { Check, Report } from './report.js';

/** What each load has to leave of the guard's own peak. */
const SHARES: Readonly<Record<string, number>> = { '2×': 0.9, '5×': 0.85, '10×': 0.8 };
const P99_MS = 60;
const REFUSAL_P50_MS = 5;
/** More is refused at 10× than 4,000 calls a second: beyond this it would take a fifth of the core. */
const REFUSAL_MICROSECONDS = 45;

const RESTART_CALLS = 50_000;
/** Some hundreds for each of four backends. */
const WARM_UP_CALLS = 2_000;

const guarded: GrpcServerName = 'plimsoll';
const plain: GrpcServerName = 'grpc-js';
const byPublicMeans: GrpcServerName = 'plimsoll, public API';

/** What a server of gRPC still serves when more is asked of it than it can do, guarded and plain. */
export async function benchGrpc(flags: GrpcFlags): Promise<Report[]> {
  const options = grpcOptions(flags);
  const lab = new Lab(options, {
    server: new URL('./grpc/servers/main.js', import.meta.url),
    load: new URL('./grpc/load/main.js', import.meta.url),
  });
  try {
    const reports: Report[] = [];
    if (options.sections.includes('unary')) reports.push(await measureUnary(lab));
    if (options.sections.includes('public')) reports.push(await measurePublic(lab));
    if (options.sections.includes('refusal')) reports.push(await measureRefusal(lab));
    if (options.sections.includes('restart')) reports.push(await measureRestart());
    return [...reports, disturbance(lab)];
  } finally {
    await lab.stop();
  }
}

/** A handler that computes for 2 ms, and clients that wait for a second. */
async function measureUnary(lab: Lab): Promise<Report> {
  const { options } = lab;
  const rows = await floodAtMultiples(lab, guarded, 'sync', [1, 2, 5, 10], options);
  const short = { runs: 1, seconds: options.seconds };
  const plainRows = await floodAtMultiples(lab, plain, 'sync', [1, 10], short);
  const checks = rows.filter(({ load }) => load in SHARES).flatMap((row) => checksOf(row, SHARES[row.load]!));
  return { bench: 'grpc: unary, 2 ms of CPU', rows: [...rows, ...plainRows], checks };
}

/** The same without anything that is not documented, should a later grpc-js ask for that. */
async function measurePublic(lab: Lab): Promise<Report> {
  const rows = await floodAtMultiples(lab, byPublicMeans, 'sync', [2, 10], lab.options);
  return { bench: 'grpc: unary, 2 ms of CPU, by documented means', rows, checks: [] };
}

function checksOf(row: FloodRow, share: number): Check[] {
  const name = `${row.server} at ${row.load}`;
  return [
    atLeast(`${name}: goodput of its own peak`, row.share, share),
    atMost(`${name}: p99 of answers, ms`, row.p99Ms, P99_MS),
    atMost(`${name}: p50 of refusals, ms`, row.refusalP50Ms, REFUSAL_P50_MS),
    atLeast(`${name}: CRITICAL_PLUS calls served`, row.criticalPlus, 0.99),
  ];
}

/** What a refusal costs the server, when it does nothing else. */
async function measureRefusal(lab: Lab): Promise<Report> {
  const rows: { server: string; perSecond: number; cpuMicroseconds: number }[] = [];
  for (const server of ['refusing: plimsoll', 'refusing: plimsoll, public API', 'grpc-js'] as const) {
    const { perSecond, cpuMicroseconds } = await lab.withServer(server, 'hello', 1, async (started) => {
      await lab.saturate(started, { concurrency: 32, seconds: 3 });
      return lab.saturate(started, { concurrency: 32, seconds: 3 });
    });
    rows.push({ server, perSecond: roundTo(perSecond, 0), cpuMicroseconds: roundTo(cpuMicroseconds, 1) });
  }
  const check = atMost('CPU of a refusal, µs', rows[0]!.cpuMicroseconds, REFUSAL_MICROSECONDS);
  return { bench: 'grpc: CPU of one answer, clients that wait for it', rows, checks: [check] };
}

/** From here, once built: tests use the same. */
const BACKEND = new URL('../../test/integration/grpc/server/processes/backend.mjs', import.meta.url);

/** Enforcing guards that are restarted one after the other, again and again, under a client of ours. */
async function measureRestart(): Promise<Report> {
  const { calls, failed, shed, streams, restarts, exitCodes } = await restartUnderLoad({
    program: BACKEND,
    connect: plimsollClient,
    backends: 4,
    calls: RESTART_CALLS,
    restarts: 8,
    mostMs: 600_000,
    atOnce: 16,
    streams: 8,
    warmUpCalls: WARM_UP_CALLS,
    options: {},
    drain: { spreadMs: 200, timeoutMs: 1_000 },
  });
  for (const [why, count] of Object.entries(failed)) console.error(`${count} × ${why}`);
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
  const { UNAVAILABLE: retryable = 0 } = streams;
  const rows = [{ calls, failed: sum(failed), shed, restarts, 'streams ended': sum(streams), retryable }];
  const checks = [
    atLeast('calls made', calls, RESTART_CALLS),
    atMost('calls that failed', sum(failed), 0),
    atMost('calls that were shed', shed, 0),
    atMost('streams that ended with another status than UNAVAILABLE', sum(streams) - retryable, 0),
    atMost('backends that did not end in good order', exitCodes.filter((code) => code !== 0).length, 0),
  ];
  return { bench: 'grpc: a rolling restart of enforcing guards', rows, checks };
}

function disturbance(lab: Lab): Report {
  return {
    bench: 'grpc: the machine',
    rows: [{ cores: lab.cores.note, floods: lab.floods, disturbed: lab.disturbed }],
    checks: [atMost('floods in which something else took part', lab.disturbed, 0, DISTURBED)],
  };
}
