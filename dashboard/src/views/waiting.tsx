import type { Live } from '../live/live.js';
import { Panel } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { bytes, count, duration, perSecond, ratio } from '../text/format.js';

/** What waits for its turn: requests over a limit. Nothing when there is no queue. */
export function Queue({ live }: { readonly live: Live }) {
  const { queue } = live.history.current ?? {};
  if (queue === undefined) return null;
  return (
    <Panel id="queue" title="Queue" span={6} note={queue.isReady ? 'ready' : 'not ready'}>
      <dl class="facts facts-row">
        <Fact name="waiting" value={count(queue.waiting)} />
        <Fact name="running" value={count(queue.running)} />
        <Fact name="accepted" value={count(queue.accepted)} />
        <Fact name="refused" value={count(queue.refused)} />
        <Fact name="performed" value={count(queue.performed)} />
        <Fact name="failed attempts" value={count(queue.failedAttempts)} />
        <Fact name="dead letters" value={count(queue.deadLetters)} />
      </dl>
      {queue.lastError === undefined ? undefined : <p class="problem">{queue.lastError}</p>}
    </Panel>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}

/** Routes for batches: who waits, and why at this pace. Nothing when there are none. */
export function Batches({ live }: { readonly live: Live }) {
  const rows = Object.entries(live.history.current?.routes ?? {}).flatMap(([route, { batch }]) =>
    batch === undefined || batch === null ? [] : [{ route, ...batch }],
  );
  if (rows.length === 0) return null;
  return (
    <Panel id="batches" title="Batches" span={6}>
      <Table
        caption="Routes for batches"
        columns={[
          { head: 'Route', cell: ({ route }) => route },
          { head: 'Waiting', kind: 'number', cell: ({ waiting }) => count(waiting) },
          { head: 'Under way', kind: 'number', cell: ({ underWay }) => count(underWay) },
          { head: 'Pace', kind: 'number', cell: ({ pace }) => perSecond(pace.ratePerSecond) },
          { head: 'Because', cell: ({ pace }) => String(pace.why).replaceAll('-', ' ') },
          { head: 'Service at', kind: 'number', cell: ({ pace }) => ratio(pace.utilization) },
          { head: 'Held', kind: 'number', cell: ({ heldBytes }) => bytes(heldBytes) },
        ]}
        rows={rows}
        keyOf={({ route }) => route}
        empty=""
      />
      {rows.map(({ route, jobs, jobCount }) =>
        jobs.length === 0 ? undefined : (
          <Table
            key={route}
            caption={`Jobs of ${route}, ${jobCount} in all`}
            columns={[
              { head: 'Job', cell: ({ job }) => job },
              { head: 'Waiting', kind: 'number', cell: ({ waiting }) => count(waiting) },
              { head: 'Under way', kind: 'number', cell: ({ underWay }) => count(underWay) },
              { head: 'Oldest waits', kind: 'number', cell: ({ oldestWaitMs }) => duration(oldestWaitMs) },
            ]}
            rows={jobs.slice(0, 8)}
            keyOf={({ job }) => job}
            empty=""
          />
        ),
      )}
    </Panel>
  );
}
