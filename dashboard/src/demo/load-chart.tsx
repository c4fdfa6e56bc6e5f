import type { ComponentChildren } from 'preact';
import { CRITICALITIES } from '../../../src/core/criticality.js';
import { TimeChart } from '../charts/time-chart.js';
import type { TimeSeries } from '../charts/time-series.js';
import type { LoadReading, OutcomeCounts } from '../data/demo.js';
import type { Live } from '../live/live.js';
import { Criticality } from '../parts/badge.js';
import { Bar } from '../parts/bar.js';
import { Panel } from '../parts/panel.js';
import { Table } from '../parts/table.js';
import { count, duration, percent, perSecond, ratio } from '../text/format.js';

const SERIES: readonly TimeSeries[] = [
  { name: 'offered', colour: 'ink-soft', look: 'dashed', pick: ({ load }) => load?.offeredPerSecond },
  { name: 'goodput', colour: 'good', look: 'area', pick: ({ load }) => load?.goodputPerSecond },
  { name: 'refused', colour: 'warn', look: 'line', pick: ({ load }) => load?.refusedPerSecond },
  { name: 'failed or late', colour: 'bad', look: 'line', pick: ({ load }) => lost(load) },
];

interface LoadChartProps {
  readonly live: Live;
  readonly load: LoadReading;
}

/** What the clients see: how much they ask for, and how much of it they get in time. */
export function LoadChart({ live, load }: LoadChartProps) {
  const { goodputPerSecond, peakPerSecond, p50Ms, p99Ms, multiple, capacityPerSecond } = load;
  const levels = [
    { value: peakPerSecond, label: `peak ${count(peakPerSecond)}/s`, colour: 'good' as const },
    { value: 0.85 * peakPerSecond, label: '85 % of peak', colour: 'ink-soft' as const },
  ];
  return (
    <>
      <Panel
        id="load"
        title="Offered load and goodput, as clients see it"
        span={8}
        note={
          <>
            load <b class="num">{ratio(multiple)}×</b> of {perSecond(capacityPerSecond)}
          </>
        }
      >
        <TimeChart
          title="Offered load and goodput"
          series={SERIES}
          samples={live.history.samples}
          happenings={live.happenings}
          areMarksNamed
          levels={peakPerSecond > 0 ? levels : []}
          format={perSecond}
          atLeast={Math.max(10, 1.1 * peakPerSecond)}
        />
      </Panel>
      <Panel
        id="served"
        title="Who is served"
        span={4}
        note={`p50 ${duration(p50Ms)} · p99 ${duration(p99Ms)}`}
      >
        <p class="headline">
          <b class="num" id="goodput-of-peak">
            {percent(peakPerSecond === 0 ? 0 : goodputPerSecond / peakPerSecond)}
          </b>{' '}
          of the best goodput so far
        </p>
        <Table
          caption="Served by criticality"
          columns={columnsFor('Criticality', (name) => <Criticality name={name} />)}
          rows={[...CRITICALITIES].reverse().flatMap((name) => rowOf(name, load.byCriticality[name]))}
          keyOf={({ name }) => name}
          empty=""
        />
        <Table
          caption="Served by customer"
          columns={columnsFor('Customer', (name) => name)}
          rows={Object.entries(load.byCustomer).flatMap(([name, share]) => rowOf(name, share))}
          keyOf={({ name }) => name}
          empty=""
        />
      </Panel>
    </>
  );
}

function lost(load: LoadReading | undefined): number | undefined {
  return load === undefined ? undefined : load.failedPerSecond + load.lateOrLostPerSecond;
}

interface ShareRow extends OutcomeCounts {
  readonly name: string;
}

function rowOf(name: string, share: OutcomeCounts | undefined): ShareRow[] {
  return share === undefined ? [] : [{ name, ...share }];
}

function columnsFor(head: string, nameOf: (name: string) => ComponentChildren) {
  return [
    { head, cell: ({ name }: ShareRow) => nameOf(name) },
    { head: 'Offered', kind: 'number' as const, cell: ({ offered }: ShareRow) => perSecond(offered) },
    {
      head: 'Served',
      kind: 'wide' as const,
      cell: ({ offered, served }: ShareRow) => {
        const share = offered === 0 ? undefined : Math.min(1, served / offered);
        return <Bar value={share} text={percent(share)} tone={(share ?? 1) >= 0.95 ? 'good' : 'warn'} />;
      },
    },
  ];
}
