import { CRITICALITIES } from '../../core/index.js';
import type { Column } from '../../simulations/report/columns.js';
import { renderTable } from '../report/table.js';
import type { OutcomeCounts } from './messages.js';
import type { Summary } from './summary.js';

/** A summary for people. */
export function summaryText(summary: Summary): string {
  const { seconds, multiple, capacity, offered, goodput, goodputOfPeak, p50Ms, p99Ms, failed, lateOrLost } =
    summary;
  return [
    `${seconds} s at ${multiple}× of what the fleet can serve (${capacity} a second)`,
    '',
    `goodput      ${goodput} of ${offered} a second, ${percent(goodputOfPeak)} of the peak (${summary.peak})`,
    `latency      p50 ${p50Ms} ms, p99 ${p99Ms} ms`,
    `failed       ${failed}`,
    `late, lost   ${lateOrLost}`,
    `utilization  the busiest backend ${summary.spread.maxOverMean} × the mean`,
    `elsewhere    ${percent(summary.elsewhere)} of this machine went to other programs`,
    '',
    renderTable(columnsOf('criticality', [...CRITICALITIES].reverse(), summary.byCriticality)),
    '',
    renderTable(columnsOf('customer', Object.keys(summary.byCustomer), summary.byCustomer)),
  ].join('\n');
}

function columnsOf(
  heading: string,
  names: readonly string[],
  counts: Readonly<Record<string, OutcomeCounts>>,
): Column[] {
  const numbers = (title: string, cell: (each: OutcomeCounts) => string): Column => ({
    heading: title,
    cells: names.map((name) => cell(counts[name]!)),
    isText: false,
  });
  return [
    { heading, cells: names, isText: true },
    numbers('offered', ({ offered }) => String(offered)),
    numbers('served', ({ served }) => String(served)),
    numbers('refused', ({ refused }) => String(refused)),
    numbers('of them served', ({ offered, served }) => (offered === 0 ? '–' : percent(served / offered))),
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
