import type { SubsettingRow, SubsettingTable } from '../simulator/index.js';
import { formatPercent, renderRange, renderTable } from './table.js';

type Section<Name extends SubsettingRow['section']> = Extract<SubsettingRow, { section: Name }>;

/** The result of `subsetting-table` as text for a terminal. */
export function renderSubsettingTable({ rows, checks, options, seed }: SubsettingTable): string {
  function section<Name extends SubsettingRow['section']>(name: Name): Section<Name>[] {
    return rows.filter((row): row is Section<Name> => row.section === name);
  }
  const { clients, backends, size, seeds } = options;
  return [
    `Subsetting: ${clients} clients, ${backends} backends, ${size} for each client (seed ${seed})`,
    'Connections at the least and at the most used backend, relative to the mean; the mark is the mean itself.',
    '',
    renderTable(
      ['algorithm', '0 … 2 × mean', 'min/mean', 'max/mean', 'moved by one join', 'worst restart'],
      section('algorithms').map((row) => [
        row.algorithm,
        renderRange(row.minOverMean, row.maxOverMean, 2),
        row.minOverMean,
        row.maxOverMean,
        formatPercent(row.movedOnJoin),
        formatPercent(row.worstRestart),
      ]),
    ),
    '',
    'moved by one join: share of all connections that move when one backend is added',
    'worst restart: largest part of any subset that is down when a tenth of the backends, neighbours, restart',
    '',
    `Random subsets by their share of all backends, medians of ${seeds} draws`,
    '',
    renderTable(
      ['share', '0 … 2 × mean', 'min/mean', 'max/mean'],
      section('random by share').map((row) => [
        formatPercent(row.share),
        renderRange(row.minOverMean, row.maxOverMean, 2),
        row.minOverMean,
        row.maxOverMean,
      ]),
    ),
    '',
    'Where the runs printed in the SRE book lie among ours',
    '',
    renderTable(
      ['size', 'of', 'p5', 'p50', 'p95', 'the book', 'draws at or below it'],
      section('random over seeds').map((row) => [
        String(row.size),
        row.of,
        row.p5,
        row.p50,
        row.p95,
        row.text,
        formatPercent(row.textPercentile / 100),
      ]),
    ),
    '',
    ...checks.map(({ name, value, bound, holds }) => {
      const shown = Number(value.toFixed(4));
      return `${holds ? '✓' : '✗'} ${name}: ${shown} (${bound})`;
    }),
  ].join('\n');
}
