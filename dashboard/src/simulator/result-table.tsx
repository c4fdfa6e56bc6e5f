import { type Column, columnsOf } from '../../../src/simulations/report/columns.js';
import type { Row } from '../../../src/simulator/report/result.js';
import { Table } from '../parts/table.js';

/** The rows of one section, with the columns, headings and decimals that the command line shows. */
export function ResultTable({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  const lines = rows.map((_, at) => at);
  const columns = columnsOf(rows).map((column) => ({
    head: column.heading,
    cell: (line: number) => cellOf(column, line),
    ...(!column.isText && { kind: 'number' as const }),
  }));
  return (
    <div>
      {title !== '' && <h3>{title}</h3>}
      <Table caption={title || 'results'} columns={columns} rows={lines} keyOf={String} empty="Nothing." />
    </div>
  );
}

function cellOf({ cells, isDrawing }: Column, line: number) {
  if (!isDrawing) return cells[line];
  return (
    <span class="sim-range" aria-hidden="true">
      {cells[line]}
    </span>
  );
}
