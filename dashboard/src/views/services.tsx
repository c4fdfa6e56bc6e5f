import { type BackendRow, backendRows, type FleetSpread, spreadOf } from '../data/backend-rows.js';
import type { ServicePart } from '../data/snapshot.js';
import type { Live } from '../live/live.js';
import { StateBadge } from '../parts/badge.js';
import { Bar } from '../parts/bar.js';
import { Panel } from '../parts/panel.js';
import { type Column, Table } from '../parts/table.js';
import { count, duration, percent, perSecond, ratio } from '../text/format.js';
import { stateName } from '../text/tones.js';
import { Sending } from './sending.js';

/** Each service with its backends, and how requests get there. */
export function Services({ live }: { readonly live: Live }) {
  const { services = {}, demo } = live.history.current ?? {};
  return (
    <>
      {Object.entries(services).map(([name, service]) => (
        <Service key={name} name={name} service={service} rows={backendRows(service, demo?.backends)} />
      ))}
    </>
  );
}

interface ServiceProps {
  readonly name: string;
  readonly service: ServicePart;
  readonly rows: readonly BackendRow[];
}

function Service({ name, service, rows }: ServiceProps) {
  const known = service.known > rows.length ? `, ${rows.length} of ${service.known} in use` : '';
  return (
    <>
      <Panel
        id={`service-${name}`}
        title={`Backends of ${name}`}
        span={9}
        note={`${statesText(service)}${known}`}
      >
        {service.isPanicking ? (
          <p class="problem">
            So few are healthy that all are used: a bad backend is better than a drowned one.
          </p>
        ) : undefined}
        {service.resolverError === undefined ? undefined : (
          <p class="problem">The resolver says: {service.resolverError}</p>
        )}
        <SpreadNote spread={spreadOf(rows)} />
        <Table
          caption={`Backends of ${name}`}
          columns={columnsFor(rows)}
          rows={rows}
          keyOf={({ url }) => url}
          empty="No backend is known yet."
        />
      </Panel>
      <Sending name={name} service={service} />
    </>
  );
}

function statesText({ states, backends }: ServicePart): string {
  const counts = new Map<string, number>();
  for (const { state } of backends) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Object.keys(states ?? {})
    .filter((state) => counts.has(state))
    .map((state) => `${counts.get(state)} ${stateName(state)}`)
    .join(' · ');
}

/** SRE ch. 20: in the ideal case all are equally full, and nothing that is reserved is wasted. */
function SpreadNote({ spread }: { readonly spread: FleetSpread | undefined }) {
  if (spread === undefined) return null;
  return (
    <dl class="facts facts-row" aria-label="Spread against the ideal case">
      <div title="The busiest against the mean: 1 in the ideal case">
        <dt>busiest / mean</dt>
        <dd class="num">{ratio(spread.maxOverMean)}</dd>
      </div>
      <div title="The least busy against the mean: 1 in the ideal case">
        <dt>idlest / mean</dt>
        <dd class="num">{ratio(spread.minOverMean)}</dd>
      </div>
      <div title="What is reserved in vain if each backend must have as much as the busiest needs: 0 in the ideal case">
        <dt>waste</dt>
        <dd class="num">
          {ratio(spread.waste)} of {spread.backends} backends ({percent(spread.wasteShare)})
        </dd>
      </div>
    </dl>
  );
}

const COLUMNS: readonly Column<BackendRow>[] = [
  {
    head: 'Backend',
    cell: ({ name, note, url }) => (
      <span title={url}>
        {name}
        {note === undefined ? undefined : <small> {note}</small>}
      </span>
    ),
  },
  { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    head: 'Utilization',
    kind: 'wide',
    hint: 'What it says of itself, 1 = as full as it may be',
    cell: ({ utilization }) => <Bar value={utilization} text={ratio(utilization)} />,
  },
  {
    head: 'In flight',
    kind: 'number',
    hint: 'Sent from here and not over',
    cell: ({ active }) => count(active),
  },
  { head: 'Share', kind: 'number', hint: 'Of the requests', cell: ({ share }) => percent(share) },
];

const OPTIONAL: readonly [isThere: (row: BackendRow) => boolean, Column<BackendRow>][] = [
  [
    ({ weight }) => weight !== undefined,
    { head: 'Weight', kind: 'number', hint: 'Share it should get', cell: ({ weight }) => ratio(weight) },
  ],
  [
    ({ requestsPerSecond }) => requestsPerSecond !== undefined,
    { head: 'Serves', kind: 'number', cell: ({ requestsPerSecond }) => perSecond(requestsPerSecond) },
  ],
  [
    ({ errorsPerSecond }) => errorsPerSecond !== undefined && errorsPerSecond > 0,
    { head: 'Errors', kind: 'number', cell: ({ errorsPerSecond }) => perSecond(errorsPerSecond) },
  ],
  [
    ({ latencyMs }) => latencyMs !== undefined,
    { head: 'Latency', kind: 'number', hint: 'Median', cell: ({ latencyMs }) => duration(latencyMs) },
  ],
  [({ zone }) => zone !== undefined, { head: 'Zone', cell: ({ zone }) => zone ?? '–' }],
];

/** A column that is empty for all is left out. */
function columnsFor(rows: readonly BackendRow[]): Column<BackendRow>[] {
  return [...COLUMNS, ...OPTIONAL.flatMap(([isThere, column]) => (rows.some(isThere) ? [column] : []))];
}
