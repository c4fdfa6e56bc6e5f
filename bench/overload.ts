import { atMost } from './overload/checks.js';
import { DISTURBED, Lab } from './overload/lab.js';
import { type OverloadFlags, overloadOptions, type Section } from './overload/options.js';
import { measureBurst } from './overload/sections/burst.js';
import { measureHello, measureRefusal } from './overload/sections/cost.js';
import { measureDependency } from './overload/sections/dependency.js';
import { measureAsync, measurePeers, measureSync } from './overload/sections/handlers.js';
import { measureSoak } from './overload/sections/soak.js';
import type { Report } from './report.js';

const MEASURED: Record<Section, (lab: Lab) => Promise<Report | Report[]>> = {
  sync: measureSync,
  async: measureAsync,
  dependency: measureDependency,
  hello: measureHello,
  refusal: measureRefusal,
  burst: measureBurst,
  peers: measurePeers,
};

/** What a server still serves when more is asked of it than it can do, guarded and by other means. */
export async function benchOverload(flags: OverloadFlags): Promise<Report[]> {
  const options = overloadOptions(flags);
  const lab = new Lab(options);
  try {
    const reports = await (options.soakSeconds === undefined
      ? inTurn(options.only, lab)
      : measureSoak(lab, options.soakSeconds).then((report) => [report]));
    return [...reports, disturbanceReport(lab)];
  } finally {
    await lab.stop();
  }
}

async function inTurn(sections: readonly Section[], lab: Lab): Promise<Report[]> {
  const reports: Report[] = [];
  for (const section of sections) reports.push(...[await MEASURED[section](lab)].flat());
  return reports;
}

/** When the generator was late, or the server did not have its core, figures say nothing about the server. */
function disturbanceReport(lab: Lab): Report {
  return {
    bench: 'overload: the machine',
    rows: [{ cores: lab.cores.note, floods: lab.floods, disturbed: lab.disturbed }],
    checks: [
      atMost('floods in which something else took part', lab.disturbed, 0, DISTURBED),
      atMost('connections lost under clients that wait for their answers', lab.lost, 0),
    ],
  };
}
