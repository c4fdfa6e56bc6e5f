import type { Live } from '../live/live.js';
import { StateBadge } from '../parts/badge.js';
import { Bar } from '../parts/bar.js';
import { Panel } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { bytes, count, duration, ratio } from '../text/format.js';

/** Each worker on a line. Nothing for one process. */
export function Workers({ live }: { readonly live: Live }) {
  const { workers } = live;
  if (workers === undefined) return null;
  const missing = workers.missing ?? [];
  return (
    <Panel
      id="workers"
      title="Workers"
      span={12}
      note={missing.length === 0 ? undefined : `no answer from ${missing.join(', ')}`}
    >
      <Table
        caption="Workers"
        columns={[
          { head: 'Worker', cell: ([name]) => name },
          { head: 'State', cell: ([, { state }]) => <StateBadge state={state ?? 'starting'} /> },
          { head: 'Pid', kind: 'number', cell: ([, { process }]) => String(process?.pid ?? '–') },
          { head: 'Up', kind: 'number', cell: ([, { process }]) => duration(process?.uptimeMs) },
          { head: 'Memory', kind: 'number', cell: ([, { process }]) => bytes(process?.residentBytes) },
          {
            head: 'Utilization',
            kind: 'wide',
            cell: ([, { guard }]) => (
              <Bar value={guard?.utilization.utilization} text={ratio(guard?.utilization.utilization)} />
            ),
          },
          { head: 'In flight', kind: 'number', cell: ([, { guard }]) => count(guard?.inFlight) },
          { head: 'Connections', kind: 'number', cell: ([, { guard }]) => count(guard?.connections) },
        ]}
        rows={Object.entries(workers.workers)}
        keyOf={([name]) => name}
        empty="No worker has answered."
      />
    </Panel>
  );
}
