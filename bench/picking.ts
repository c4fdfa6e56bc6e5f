import {
  type BackendPick,
  createPicker,
  type LoadReport,
  type Picker,
  POLICY_NAMES,
  type PolicyName,
  Roster,
  SeededRandom,
} from 'plimsoll/core';
import { type Measured, measure, retained } from './measure.js';
import type { Check, Report } from './report.js';

/** Picks per second that each policy has to reach with 100 backends, on one core. */
const FLOORS: Record<PolicyName, number> = {
  'round-robin': 15e6,
  'least-loaded': 3e6,
  weighted: 5e6,
  prequal: 1e6,
};

/** How many requests are under way at once; which of them is done next is drawn, so `done` comes in another order. */
const IN_FLIGHT = 64;

/** Bytes of one pick: three fields and a header of three words on 64 bits. */
const PICK_BYTES = 48;

/**
 * What 1,000 backends are compared with. Ten do not fill Prequal's pool of sixteen answers, which is searched on every pick,
 * so there it is a hundred; with a pool of four, which ten do fill, ten and 1,000 cost the same.
 */
const BASELINE: Record<PolicyName, number> = {
  'round-robin': 10,
  'least-loaded': 10,
  weighted: 10,
  prequal: 100,
};

/**
 * A service in which every tenth backend is unusable (refusing, lame duck or connecting in turn) and the usable ones
 * differ in weight: the reports say one to three times the work for the same utilization.
 */
function service(policy: PolicyName, size: number) {
  const roster = new Roster();
  const keys = Array.from({ length: size }, (_, index) => `10.0.${index >> 8}.${index & 255}:8080`);
  roster.update(keys);
  const down = ['refusing', 'lame-duck', 'connecting'] as const;
  for (const [index, key] of keys.entries()) {
    roster.mark(key, index % 10 === 7 ? down[((index / 10) % 3) | 0]! : 'ready', 0);
  }
  const random = new SeededRandom(1);
  const picker = createPicker(roster, () => random.next(), policy);
  // By ordinal, which is the index here.
  const reports = keys.map((_, index) => reportOf(100 + ((index * 37) % 200), index % 7));
  return { roster, picker, reports };
}

function reportOf(requestsPerSecond: number, inFlight: number): LoadReport {
  return { requestsPerSecond, cpuUtilization: 0.5, inFlight, latencyMs: 5 + inFlight };
}

/**
 * One operation: a pick, its probes asked and answered if the policy wants any, and the `done` of another pick, with a
 * load report in every answer. Time is whole milliseconds, a thousand operations each: a fraction would be boxed with
 * each call, which is the engine's allocation and not ours.
 */
function workload(picker: Picker, reports: readonly LoadReport[]): (count: number) => void {
  const held = Array.from({ length: IN_FLIGHT }, () => pickAt(picker, 0));
  const { probing } = picker;
  const slots = new SeededRandom(2);
  const order = Uint8Array.from({ length: 4_096 }, () => slots.below(IN_FLIGHT));
  let operations = 0;

  function run(count: number, operationsPerMs: number): void {
    for (let index = 0; index < count; index++) {
      const now = (operations++ / operationsPerMs) | 0;
      const pick = pickAt(picker, now);
      if (probing !== undefined) {
        for (let asked = probing.nextProbe(now); asked !== undefined; asked = probing.nextProbe(now)) {
          probing.onAnswer(asked, PROBE_ANSWERS[asked.ordinal % PROBE_ANSWERS.length]!, now);
        }
      }
      const slot = order[operations & 4_095]!;
      const old = held[slot]!;
      held[slot] = pick;
      old.done('answered', now, reports[old.backend.ordinal]);
    }
  }

  // Fifteen seconds, past the blackout, so that weights are known.
  run(60_000, 4);
  operations = 15_000_000;
  return (count) => run(count, 1_000);
}

function pickAt(picker: Picker, now: number): BackendPick {
  const pick = picker.pick(now);
  if (typeof pick === 'string') throw new Error(`no pick: ${pick}`);
  return pick;
}

const PROBE_ANSWERS = Array.from({ length: 7 }, (_, inFlight) => reportOf(100, inFlight));

export function benchPicking(): Report {
  const rows: (Measured & { policy: PolicyName; backends: number; bytesPerBackend: number })[] = [];
  const checks: Check[] = [];
  for (const policy of POLICY_NAMES) {
    for (const backends of [10, 100, 1_000]) {
      const { picker, reports } = service(policy, backends);
      const measured = measure(`${policy} × ${backends}`, workload(picker, reports));
      rows.push({ ...measured, policy, backends, bytesPerBackend: bytesPerBackend(policy, backends) });
    }
    const rate = (backends: number) =>
      rows.find((row) => row.policy === policy && row.backends === backends)!.perSecond;
    const floor = FLOORS[policy];
    checks.push({
      name: `${policy}, 100 backends: picks per second`,
      value: Math.round(rate(100)),
      bound: `>= ${floor}`,
      holds: rate(100) >= floor,
    });
    const { bytesPerOperation } = rows.find((row) => row.policy === policy && row.backends === 100)!;
    checks.push({
      name: `${policy}, 100 backends: bytes allocated per pick`,
      value: Math.round(bytesPerOperation),
      bound: `<= ${PICK_BYTES}, the pick itself`,
      holds: bytesPerOperation < PICK_BYTES + 1,
    });
    // Caches hold a thousand backends less well than a few; what must not show is work that grows with their number.
    const growth = rate(BASELINE[policy]) / rate(1_000);
    checks.push({
      name: `${policy}: cost with 1,000 backends over cost with ${BASELINE[policy]}`,
      value: Number(growth.toFixed(2)),
      bound: '<= 2',
      holds: growth <= 2,
    });
  }
  return { bench: 'picking', rows, checks };
}

/** What a service costs in memory, picker and roster, for each of its backends. */
function bytesPerBackend(policy: PolicyName, backends: number): number {
  const copies = Math.ceil(2_000 / backends);
  return Math.round(
    retained(backends * copies, () =>
      Array.from({ length: copies }, () => {
        const made = service(policy, backends);
        made.picker.pick(0);
        return [made.roster, made.picker];
      }),
    ),
  );
}
