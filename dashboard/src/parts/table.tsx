import type { ComponentChildren } from 'preact';

export interface Column<R> {
  readonly head: string;
  readonly cell: (row: R) => ComponentChildren;
  readonly kind?: 'number' | 'wide';
  /** What the number means, for whoever points at its head. */
  readonly hint?: string;
}

interface TableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly empty: string;
}

/** A table that scrolls by itself where it is too wide, by keyboard too. The first column names the row. */
export function Table<R>({ caption, columns, rows, keyOf, empty }: TableProps<R>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard (WCAG 2.1.1).
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, kind, hint }) => (
              <th key={head} scope="col" class={kind} title={hint}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, kind }, i) =>
                i === 0 ? (
                  <th key={head} scope="row" class={kind}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} class={kind}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
