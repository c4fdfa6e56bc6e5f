import { QuotaCoordinator, type QuotaLevels, QuotaMember, type UsageReport } from 'plimsoll/core';
import { atMost } from '../../overload/checks.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { cpuMs, isGreedy, LIMITS, namesOf } from '../customers.js';
import { wire } from '../wire.js';

const EVERY_MS = 250;
/** In the levels that are heard: this one, and others that say the same. */
const BACKENDS = 100;
const WARM_CYCLES = 60;
const CYCLES = 200;

interface Cycle {
  readonly reportMs: number;
  readonly hearMs: number;
}

/**
 * A backend's part: all accounts brought up to date, a report made and written, levels read and followed. What requests
 * themselves cost is in `decisions`. One in a hundred of what a customer wants is wanted here.
 */
export function measureBackend(): Report {
  const rows = [100, 1_000, 4_000].map((customers) => {
    const cycles = cyclesOf(customers);
    const [reportMs, hearMs] = [
      median(cycles.map((cycle) => cycle.reportMs)),
      median(cycles.map((cycle) => cycle.hearMs)),
    ];
    return {
      customers,
      'report ms': roundTo(reportMs, 3),
      'levels ms': roundTo(hearMs, 3),
      'core %': roundTo(((reportMs + hearMs) / EVERY_MS) * 100, 3),
    };
  });
  const share = rows.find(({ customers }) => customers === 1_000)!['core %'];
  return {
    bench: 'quota: a backend, report and levels every 250 ms',
    rows,
    checks: [atMost('1,000 customers: % of a core', share, 0.5)],
  };
}

function cyclesOf(customers: number): Cycle[] {
  const names = namesOf(customers);
  const member = new QuotaMember(LIMITS, { maxReported: customers });
  const coordinator = new QuotaCoordinator(LIMITS);
  const [encoder, decoder] = [new wire.LevelsEncoder(), new wire.LevelsDecoder()];
  const cycles: Cycle[] = [];
  let now = 0;
  coordinator.begin(1, 0, now);
  for (let cycle = 0; cycle < WARM_CYCLES + CYCLES; cycle++) {
    now += EVERY_MS;
    makeRequests(member, names, cycle, now);
    const began = cpuMs();
    member.tick(now);
    const report = member.report(now);
    wire.encodeReportValues(report);
    const reported = cpuMs();
    const levels = levelsFor(coordinator, report, now);
    const bytes = levels && encoder.encode(levels).pushed;
    encoder.said();
    const heard = cpuMs();
    if (bytes !== undefined) hear(member, decoder.decode(bytes), now);
    if (cycle >= WARM_CYCLES) cycles.push({ reportMs: reported - began, hearMs: cpuMs() - heard });
  }
  return cycles;
}

/** Of those within their quotas one each, in two out of three cycles. */
function makeRequests(member: QuotaMember, names: readonly string[], cycle: number, now: number): void {
  const { enforcement } = member;
  for (const [customer, name] of names.entries()) {
    const wanted = isGreedy(customer) ? 25 : Number((customer + cycle) % 3 !== 0);
    for (let request = 0; request < wanted; request++) {
      const order = (request * 0.618) % 1;
      if (enforcement.admit(name, 'CRITICAL', order, now) === 'admit')
        enforcement.charge(name, 'CRITICAL', 1, now);
    }
  }
}

function hear(member: QuotaMember, levels: QuotaLevels | string | undefined, now: number): void {
  if (typeof levels !== 'object') throw new Error(`levels were read as ${levels}`);
  member.hear(levels, now);
}

function levelsFor(coordinator: QuotaCoordinator, report: UsageReport, now: number): QuotaLevels | undefined {
  for (let backend = 0; backend < BACKENDS; backend++)
    coordinator.report(`backend-${backend}`, report, 0, now);
  return coordinator.divide(now);
}
