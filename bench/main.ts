import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAccounting } from './accounting.js';
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
import { printReport, type Report } from './report.js';
import { benchSimulator } from './simulator.js';
import { benchSubsetting } from './subsetting.js';
import { benchWindowError } from './window-error.js';

type Bench = (
  flags: OverloadFlags & ClientFlags & GatewayFlags & GrpcFlags & ProxyFlags & QuotaFlags & RatelimitFlags,
) => Report | Promise<Report[]>;

const BENCHES: Record<string, Bench> = {
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

const HELP = `npm run -s bench -- [name …] [--json]

  ${Object.keys(BENCHES).join('\n  ')}

Without a name all of them run, but client, gateway, grpc, overload, proxy, quota, ratelimit and ratelimit-service. --json prints one object
with rows and checks.
The exit code is 1 when a check does not hold.

${CLIENT_HELP}

${GATEWAY_HELP}

${GRPC_HELP}

${OVERLOAD_HELP}

${PROXY_HELP}

${QUOTA_HELP}

${RATELIMIT_HELP}

${RATELIMIT_SERVICE_HELP}`;

/** Minutes, and both cores for themselves: only when they are asked for. */
const ON_DEMAND = [
  'client',
  'gateway',
  'grpc',
  'overload',
  'proxy',
  'quota',
  'ratelimit',
  'ratelimit-service',
];
const BY_DEFAULT = Object.keys(BENCHES).filter((name) => !ON_DEMAND.includes(name));

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
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
  const names = positionals.length > 0 ? positionals : BY_DEFAULT;
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  const reports: Report[] = [];
  for (const name of names) reports.push(...[await BENCHES[name]!(values)].flat());
  if (values.json) {
    console.log(JSON.stringify({ machine, benches: reports }, null, 2));
  } else {
    console.log(`Node ${machine.node}, ${machine.cores} × ${machine.cpu}`);
    for (const report of reports) printReport(report);
  }
  if (reports.some(({ checks }) => checks.some(({ holds }) => !holds))) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
