import { Soak, type Soaked } from '../../../test/integration/gateway/stress/soak.js';
import { atMost } from '../../overload/checks.js';
import { chooseCores, leaveServerCore, moveToServerCore } from '../../overload/cores.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import type { GatewayOptions } from '../options.js';

/** Of the most that it serves without refusing any. */
const LOAD_SHARE = 0.8;
/** To begin with: code has to be compiled. */
const FIRST_PER_SECOND = 500;

/** Less than this an hour is what a garbage collector leaves lying about. A short run cannot tell it from noise. */
const MOST_SLOPE_MB = 10;
const LONG_SECONDS = 1_800;

/** Load, a reload each second, and restarts of all that is behind the gateway. */
export async function measureSoak({ soakSeconds }: GatewayOptions): Promise<Report> {
  const cores = chooseCores();
  const comeBack = leaveServerCore(cores);
  const soaked = await Soak.run({
    seconds: soakSeconds,
    perSecond: FIRST_PER_SECOND,
    loadShare: LOAD_SHARE,
    onStart: (pid) => moveToServerCore(cores, pid),
    onRound: tell,
  }).finally(comeBack);
  const failed = Object.values(soaked.failed).reduce((sum, count) => sum + count, 0);
  const isLong = soaked.seconds >= LONG_SECONDS;
  const { rssMb, failed: faults, coreShare, ...rest } = soaked;
  return {
    bench: `gateway: soak${failed === 0 ? '' : `, failed: ${JSON.stringify(faults)}`}`,
    rows: [
      {
        ...rest,
        '% of the core': roundTo(100 * coreShare, 1),
        p99Ms: roundTo(rest.p99Ms, 1),
        rssSlopeMbPerHour: roundTo(rest.rssSlopeMbPerHour, 1),
        'rss, a third in, MB': rssMb[Math.floor(rssMb.length / 3)] ?? 0,
        'rss, at the end, MB': rssMb.at(-1) ?? 0,
      },
    ],
    checks: [
      atMost('failed, not refused by a rule', failed, 0),
      atMost('shed', rest.shed, 0),
      ...(isLong
        ? [atMost('resident memory: growth in MB an hour', rest.rssSlopeMbPerHour, MOST_SLOPE_MB)]
        : []),
    ],
  };
}

/** Once a minute, for whoever waits. */
function tell({ seconds, sent, failed, shed, rssMb, reloads, perSecond, coreShare }: Soaked): void {
  if (rssMb.length % 6 !== 1) return;
  const rate = `${perSecond}/s, ${Math.round(100 * coreShare)} % of the core`;
  const became = `${shed} shed, failed: ${JSON.stringify(failed)}`;
  console.error(
    `soak: ${seconds} s, ${rate}, ${sent} requests, ${reloads} reloads, ${rssMb.at(-1)} MB, ${became}`,
  );
}
