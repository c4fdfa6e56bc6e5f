import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAccounting } from './accounting.js';
import { BENCH_NAMES, type BenchName, factsOf } from './catalogue.js';
import { CLIENT_FLAGS, CLIENT_HELP, type ClientFlags } from './client/options.js';
import { benchClient } from './client.js';
import { benchDecisions } from './decisions.js';
import { benchFleets } from './fleets.js';
import { GATEWAY_FLAGS, GATEWAY_HELP, type GatewayFlags } from './gateway/options.js';
import { benchGateway } from './gateway.js';
import { GRPC_HELP, type GrpcFlags } from './grpc/options.js';
import { benchGrpc } from './grpc.js';
import { OVERLOAD_FLAGS, OVERLOAD_HELP, type OverloadFlags } from './overload/options.js';
import { benchOverload } from './overload.js';
import { benchPicking } from './picking.js';
import { PROXY_HELP, type ProxyFlags } from './proxy/options.js';
import { benchProxy } from './proxy.js';
import { QUOTA_HELP, type QuotaFlags } from './quota/options.js';
import { benchQuota } from './quota.js';
import { RATELIMIT_HELP, type RatelimitFlags } from './ratelimit/options.js';
import { benchRatelimit } from './ratelimit.js';
import { RATELIMIT_SERVICE_HELP } from './ratelimit-service/options.js';
import { benchRatelimitService } from './ratelimit-service.js';
import { measureBench } from './record/measure-bench.js';
import { COMMITTED, SHORTENED, writeResult } from './record/result.js';
import { runAll } from './record/run-all.js';
import { printReport, type Report } from './report.js';
import { benchSimulator } from './simulator.js';
import { benchSubsetting } from './subsetting.js';
import { benchWindowError } from './window-error.js';

type Bench = (
  flags: OverloadFlags & ClientFlags & GatewayFlags & GrpcFlags & ProxyFlags & QuotaFlags & RatelimitFlags,
) => Report | Promise<Report[]>;

const BENCHES: Record<BenchName, Bench> = {
  accounting: benchAccounting,
  client: benchClient,
  decisions: benchDecisions,
  fleets: benchFleets,
  gateway: benchGateway,
  grpc: benchGrpc,
  overload: benchOverload,
  picking: benchPicking,
  proxy: benchProxy,
  quota: benchQuota,
  ratelimit: benchRatelimit,
  'ratelimit-service': benchRatelimitService,
  simulator: benchSimulator,
  subsetting: benchSubsetting,
  'window-error': benchWindowError,
};

const HELP = `npm run -s bench -- [name …] [--json] [--write]

  ${BENCH_NAMES.join('\n  ')}

Without a name all of them run, one after the other, for about an hour: each in a process of its own, its result in
${COMMITTED.results}/<name>.json as soon as it ends, and the page about all of them, ${COMMITTED.page}, at the end.

  --json    prints one object with rows and checks
  --write   writes ${COMMITTED.results}/<name>.json of those that are named; with flags that change how a bench runs it goes to
            ${SHORTENED.results}/ instead, and is never on the page
  --quick   as little as shows that all of it runs, about ten minutes; everything it writes goes to ${SHORTENED.results}/
  --page    runs nothing: writes the page and its figures from the results that are there (with --quick: from the quick ones)

The exit code is 1 when a check does not hold, and 2 when a bench could not run.

${CLIENT_HELP}

${GATEWAY_HELP}

${GRPC_HELP}

${OVERLOAD_HELP}

${PROXY_HELP}

${QUOTA_HELP}

${RATELIMIT_HELP}

${RATELIMIT_SERVICE_HELP}`;

/** The project's: `npm run` begins there, and what it starts goes on there. */
const ROOT = process.cwd();

interface Asked {
  readonly names: readonly BenchName[];
  /** Those that were given, as they are for every bench. */
  readonly flags: Readonly<Record<string, string>>;
  readonly isQuick: boolean;
  readonly isJson: boolean;
  readonly writes: boolean;
}

/** How a bench is called: what was asked for, and what makes it short. */
function flagsOf(name: BenchName, { flags, isQuick }: Asked): Readonly<Record<string, string>> {
  return isQuick ? { quick: 'yes', ...factsOf(name).quick, ...flags } : flags;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      quick: { type: 'boolean' },
      page: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      ...OVERLOAD_FLAGS,
      ...CLIENT_FLAGS,
      ...GATEWAY_FLAGS,
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined) {
    console.error(`There is no bench "${unknown}".\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const { json = false, write = false, quick = false, page = false, help: _, ...flags } = values;
  const names = positionals as BenchName[];
  const asked: Asked = { names, flags, isQuick: quick, isJson: json, writes: write };
  if (page) await writePage(quick);
  else if (names.length > 0) await runNamed(asked);
  else await runEverything(asked);
}

/** In this process, one after the other. */
async function runNamed(asked: Asked): Promise<void> {
  const reports: Report[] = [];
  for (const name of asked.names) {
    const flags = flagsOf(name, asked);
    const run = async () => [await BENCHES[name](flags)].flat();
    const { result, error } = await measureBench({ root: ROOT, name, flags, writes: asked.writes }, run);
    if (asked.writes) console.error(`bench: wrote ${writeResult(ROOT, result)}`);
    if (error !== undefined) throw error;
    reports.push(...result.reports);
  }
  printAll(reports, asked.isJson);
}

/** All there are, each in a process of its own, and the page. */
async function runEverything(asked: Asked): Promise<void> {
  const given = Object.entries(asked.flags).map(([flag, value]) => `--${flag}=${value}`);
  const results = await runAll({
    root: ROOT,
    names: BENCH_NAMES,
    flagsOf: (name) => flagsOf(name, asked),
    argsOf: (name) => [
      '--expose-gc',
      process.argv[1]!,
      name,
      '--write',
      ...(asked.isQuick ? ['--quick'] : []),
      ...given,
    ],
    stdout: asked.isJson ? 'ignore' : 'inherit',
    say: (line) => console.error(`bench: ${line}`),
  });
  const reports = results.flatMap((result) => result.reports);
  if (asked.isJson) printAll(reports, true);
  setExitCode(reports);
  if (results.some(({ failure }) => failure !== undefined)) process.exitCode = 2;
  // Other flags than those of a quick run: nobody has asked for a page of that.
  if (given.length === 0) await writePage(asked.isQuick);
}

async function writePage(isQuick: boolean): Promise<void> {
  // Draws: only those who want a page wait for that.
  const { writeBenchPage } = await import('./page/write-page.js');
  for (const path of writeBenchPage(ROOT, isQuick ? SHORTENED : COMMITTED))
    console.error(`bench: wrote ${path}`);
}

function printAll(reports: readonly Report[], isJson: boolean): void {
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  if (isJson) {
    console.log(JSON.stringify({ machine, benches: reports }, null, 2));
  } else {
    console.log(`Node ${machine.node}, ${machine.cores} × ${machine.cpu}`);
    for (const report of reports) printReport(report);
  }
  setExitCode(reports);
}

function setExitCode(reports: readonly Report[]): void {
  if (reports.some(({ checks }) => checks.some(({ holds }) => !holds))) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  // What broke has left something running, which would keep this process for ever.
  process.exit(2);
}
