import { type CustomerRow, customerRows } from '../data/customer-rows.js';
import type { Live } from '../live/live.js';
import { Bar } from '../parts/bar.js';
import { Panel } from '../parts/panel.js';
import { type Column, Table } from '../parts/table.js';
import { count, perSecond } from '../text/format.js';

const REQUESTS: readonly Column<CustomerRow>[] = [
  { head: 'Customer', cell: ({ customer }) => customer || 'not known' },
  { head: 'Served', kind: 'number', cell: ({ served }) => perSecond(served) },
  {
    head: 'Refused by guard',
    kind: 'number',
    hint: 'Over quota, or too much for now',
    cell: ({ refused }) => perSecond(refused),
  },
];

const QUOTA: readonly Column<CustomerRow>[] = [
  {
    head: 'Use of quota',
    kind: 'wide',
    cell: ({ used, quota }) =>
      quota === undefined ? (
        `${count(used)}, no limit`
      ) : (
        <Bar value={(used ?? 0) / quota} text={`${count(used)} of ${count(quota)}`} />
      ),
  },
  {
    head: 'Demand',
    kind: 'number',
    hint: 'What it would use if nothing held it',
    cell: ({ demand }) => count(demand),
  },
  { head: 'Held back', kind: 'number', cell: ({ refusedUnits }) => count(refusedUnits) },
];

/** Who uses what, and who wanted more. */
export function Customers({ live }: { readonly live: Live }) {
  const { history } = live;
  const { quota, demo } = history.current ?? {};
  const rows = customerRows(history);
  const hasQuota = rows.some(({ used }) => used !== undefined);
  const unit = quota?.unit === undefined ? undefined : `quotas in ${quota.unit} a second`;
  const coordinator = quota?.isCoordinator
    ? 'divided here'
    : quota === undefined
      ? undefined
      : `stage: ${quota.stage}`;
  return (
    <Panel
      id="customers"
      title="Customers"
      span={6}
      note={[unit, coordinator, demo?.quotaNote].filter((part) => part !== undefined).join(' · ')}
    >
      <Table
        caption="Customers"
        columns={hasQuota ? [...REQUESTS, ...QUOTA] : REQUESTS}
        rows={rows}
        keyOf={({ customer }) => customer}
        empty="Nobody has sent anything yet."
      />
    </Panel>
  );
}
