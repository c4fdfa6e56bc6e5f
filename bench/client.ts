import {
  type ClientBenchOptions,
  type ClientFlags,
  type ClientSection,
  clientBenchOptions,
} from './client/options.js';
import { measureKill } from './client/sections/kill.js';
import { measureLameDuck } from './client/sections/lame-duck.js';
import { measureOverhead } from './client/sections/overhead.js';
import { measureRestart } from './client/sections/restart.js';
import { measureSlow } from './client/sections/slow.js';
import type { Report } from './report.js';

const MEASURED: Record<ClientSection, (options: ClientBenchOptions) => Promise<Report | Report[]>> = {
  restart: measureRestart,
  kill: measureKill,
  'lame-duck': measureLameDuck,
  slow: measureSlow,
  overhead: measureOverhead,
};

/** What callers of a client notice of backends that restart, vanish or are slow, and what it costs them. */
export async function benchClient(flags: ClientFlags): Promise<Report[]> {
  const options = clientBenchOptions(flags);
  const reports: Report[] = [];
  for (const section of options.only) reports.push(...[await MEASURED[section](options)].flat());
  return reports;
}
