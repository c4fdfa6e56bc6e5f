import type { Decision } from '../data/snapshot.js';
import type { Live } from '../live/live.js';
import { Criticality } from '../parts/badge.js';
import { Panel } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { count, ratio, timeOfDay } from '../text/format.js';
import { reasonName } from '../text/reasons.js';
import { whyRefused } from '../text/why-refused.js';

const MOST = 25;

/** The last who were refused, each with the numbers of its moment and a sentence that says what they mean. */
export function Decisions({ live }: { readonly live: Live }) {
  const { guard, recent = [] } = live.history.current ?? {};
  const decisions = [...(guard?.recent ?? []), ...recent].sort((a, b) => b.atMs - a.atMs).slice(0, MOST);
  return (
    <Panel id="decisions" title="Why was this refused?" span={12} note="the last decisions, newest first">
      <Table
        caption="Refused lately"
        columns={[
          { head: 'Time', cell: ({ atMs }) => <span class="num">{timeOfDay(atMs)}</span> },
          { head: 'Reason', cell: ({ reason }) => reasonName(reason) },
          { head: 'Criticality', cell: ({ criticality }) => <Criticality name={criticality} /> },
          { head: 'Customer', cell: ({ customer }) => customer || '–' },
          { head: 'Route', cell: ({ route }) => route || '–' },
          { head: 'Utilization', kind: 'number', cell: fullness },
          { head: 'In flight', kind: 'number', cell: ({ inFlight }) => count(inFlight) },
          {
            head: 'Why',
            kind: 'wide',
            cell: (decision) => <span class="prose">{whyRefused(decision)}</span>,
          },
        ]}
        rows={decisions.map((decision, i) => ({ ...decision, i }))}
        keyOf={({ atMs, i }) => `${atMs} ${i}`}
        empty="Nobody was refused lately."
      />
    </Panel>
  );
}

function fullness({ utilization, refuseFrom }: Decision): string {
  if (utilization === undefined) return '–';
  return refuseFrom === undefined ? ratio(utilization) : `${ratio(utilization)} / ${ratio(refuseFrom)}`;
}
