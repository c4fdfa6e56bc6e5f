import { type LimitRow, limitRows } from '../data/limit-rows.js';
import type { Live } from '../live/live.js';
import { Panel } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { count, perSecond } from '../text/format.js';

/** Rate limits, and who comes most. Nothing when there are none. */
export function Limits({ live }: { readonly live: Live }) {
  const rows = limitRows(live.history);
  const busy = rows.filter(({ counts }) => (counts.busiest?.length ?? 0) > 0);
  if (rows.length === 0) return null;
  return (
    <Panel id="limits" title="Rate limits" span={6}>
      <Table
        caption="Rate-limit rules"
        columns={[
          { head: 'Rule', cell: ({ rule, route }) => <span title={`of ${route}`}>{rule}</span> },
          { head: 'Route', cell: ({ route }) => route },
          { head: 'Passes', kind: 'number', cell: ({ allowedPerSecond }) => perSecond(allowedPerSecond) },
          { head: 'Limited', kind: 'number', cell: ({ refusedPerSecond }) => perSecond(refusedPerSecond) },
          {
            head: 'Limited in all',
            kind: 'number',
            cell: ({ counts }) => count(counts.refused + counts.queued),
          },
          {
            head: 'Undecided',
            kind: 'number',
            hint: 'Decided without the store, which did not answer',
            cell: ({ counts }) => count(counts.undecided),
          },
        ]}
        rows={rows}
        keyOf={({ route, rule }) => `${route} ${rule}`}
        empty=""
      />
      {busy.map((row) => (
        <BusiestKeys key={`${row.route} ${row.rule}`} row={row} />
      ))}
    </Panel>
  );
}

function BusiestKeys({ row: { route, rule, counts } }: { readonly row: LimitRow }) {
  const busiest = counts.busiest ?? [];
  return (
    <>
      <h3>Busiest keys of {rule}</h3>
      <Table
        caption={`Busiest keys of ${rule} of ${route}`}
        columns={[
          { head: 'Key', cell: ({ key }) => <code>{key}</code> },
          { head: 'Came', kind: 'number', cell: ({ hits }) => count(hits) },
          { head: 'Limited', kind: 'number', cell: ({ refused }) => count(refused) },
        ]}
        rows={busiest.slice(0, 5)}
        keyOf={({ key }) => key}
        empty=""
      />
    </>
  );
}
