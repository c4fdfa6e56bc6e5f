import { DEMAND_AT, QuotaCoordinator, REPORT_STRIDE, SeededRandom, type UsageReport } from 'plimsoll/core';
import { atMost } from '../../overload/checks.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { cpuMs, isGreedy, LIMITS, namesOf, PER_SECOND } from '../customers.js';
import { wire } from '../wire.js';

const TICK_MS = 1_000;
const WARM_TICKS = 3;
const TICKS = 7;
/** CRITICAL. */
const RANK = 2;
/** Different reports, of which each backend sends one after the other: what they say changes all the time. */
const VARIANTS = 16;

const SIZES: readonly (readonly [backends: number, customers: number])[] = [
  [500, 1_000],
  [1_000, 1_000],
  [2_000, 1_000],
  [4_000, 1_000],
  [2_000, 250],
  [2_000, 4_000],
];

interface Tick {
  readonly readMs: number;
  readonly divideMs: number;
}

/** The coordinator's part of each second: reads what every backend has reported, divides, and writes the levels. */
export function measureCoordinator(): Report {
  const rows = SIZES.map(([backends, customers]) => {
    const ticks = ticksOf(backends, customers);
    const readMs = median(ticks.map((tick) => tick.readMs));
    const divideMs = median(ticks.map((tick) => tick.divideMs));
    return {
      backends,
      customers,
      'decode ms': roundTo(readMs, 1),
      'divide ms': roundTo(divideMs, 1),
      'tick ms': roundTo(readMs + divideMs, 1),
      'ns a row': roundTo(((readMs + divideMs) * 1e6) / backends / customers, 1),
    };
  });
  const asked = rows.find(({ backends, customers }) => backends === 2_000 && customers === 1_000)!;
  return {
    bench: 'quota: the coordinator, one tick',
    rows,
    checks: [atMost('2,000 backends × 1,000 customers: ms of CPU a tick of 1 s', asked['tick ms'], TICK_MS)],
  };
}

function ticksOf(backends: number, customers: number): Tick[] {
  const variants = variantsOf(backends, customers);
  const values = variants.map((report) => wire.encodeReportValues(report));
  const names = wire.encodeReportNames(variants[0]!);
  const senders = Array.from({ length: backends }, (_, index) => ({
    backend: `backend-${index}`,
    decoder: new wire.ReportDecoder(),
  }));
  const coordinator = new QuotaCoordinator(LIMITS, { everyMs: TICK_MS, forgetMs: 4 * TICK_MS });
  const encoder = new wire.LevelsEncoder();
  const ticks: Tick[] = [];
  coordinator.begin(1, backends, 0);
  for (let tick = 1; tick <= WARM_TICKS + TICKS; tick++) {
    const now = tick * TICK_MS;
    const began = cpuMs();
    for (const [index, { backend, decoder }] of senders.entries()) {
      const report = decoder.decode(values[(index + tick) % VARIANTS]!, tick === 1 ? names : undefined);
      if (typeof report !== 'object') throw new Error(`a report was read as ${report}`);
      coordinator.report(backend, report, 0, now);
    }
    const read = cpuMs();
    const levels = coordinator.divide(now);
    if (levels === undefined || levels.backends !== backends) throw new Error('not all backends count');
    encoder.encode(levels);
    encoder.said();
    if (tick > WARM_TICKS) ticks.push({ readMs: read - began, divideMs: cpuMs() - read });
  }
  return ticks;
}

/** Each customer wants the same of every backend on average, all together 0.7 or 10 times its quota. */
function variantsOf(backends: number, customers: number): UsageReport[] {
  const random = new SeededRandom(1);
  const names = [undefined, ...namesOf(customers)];
  return Array.from({ length: VARIANTS }, () => {
    const rates = new Float32Array(names.length * REPORT_STRIDE);
    const refused = new Uint8Array(names.length);
    for (let customer = 0; customer < customers; customer++) {
      const at = (customer + 1) * REPORT_STRIDE;
      const wanted = ((isGreedy(customer) ? 10 : 0.7) * PER_SECOND * 2 * random.next()) / backends;
      rates[at + RANK] = isGreedy(customer) ? wanted / 10 : wanted;
      rates[at + DEMAND_AT + RANK] = wanted;
      refused[customer + 1] = Number(isGreedy(customer));
    }
    return { names, namesVersion: 1, count: names.length, rates, refused, isSuspended: false };
  });
}
