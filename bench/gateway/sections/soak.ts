import { Soak, type Soaked } from '../../../test/integration/gateway/stress/soak.js';
import { atMost } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import type { GatewayOptions } from '../options.js';

/**
 * 80 % of what a small share of a machine bears: backends, Redis, clients and the gateway are all on it, and each reload
 * parses, checks and builds all anew.
 */
const PER_SECOND = 400;

/** Less than this an hour is what a garbage collector leaves lying about. A short run cannot tell it from noise. */
const MOST_SLOPE_MB = 10;
const LONG_SECONDS = 1_800;

/** Load, a reload each second, and restarts of all that is behind the gateway. */
export async function measureSoak({ soakSeconds }: GatewayOptions): Promise<Report> {
  const soaked = await Soak.run({ seconds: soakSeconds, perSecond: PER_SECOND, onRound: tell });
  const failed = Object.values(soaked.failed).reduce((sum, count) => sum + count, 0);
  const isLong = soaked.seconds >= LONG_SECONDS;
  const { rssMb, failed: faults, ...rest } = soaked;
  return {
    bench: `gateway: soak${failed === 0 ? '' : `, failed: ${JSON.stringify(faults)}`}`,
    rows: [
      {
        ...rest,
        p99Ms: roundTo(rest.p99Ms, 1),
        rssSlopeMbPerHour: roundTo(rest.rssSlopeMbPerHour, 1),
        'rss, a third in, MB': rssMb[Math.floor(rssMb.length / 3)] ?? 0,
        'rss, at the end, MB': rssMb.at(-1) ?? 0,
      },
    ],
    checks: [
      atMost('failed, not refused by a rule', failed, 0),
      ...(isLong
        ? [atMost('resident memory: growth in MB an hour', rest.rssSlopeMbPerHour, MOST_SLOPE_MB)]
        : []),
    ],
  };
}

/** Once a minute, for whoever waits. */
function tell({ seconds, sent, failed, rssMb, reloads }: Soaked): void {
  if (rssMb.length % 6 === 0)
    console.error(
      `soak: ${seconds} s, ${sent} requests, ${reloads} reloads, ${rssMb.at(-1)} MB, failed: ${JSON.stringify(failed)}`,
    );
}
