import { TimeChart } from '../charts/time-chart.js';
import type { TimeSeries } from '../charts/time-series.js';
import type { Live } from '../live/live.js';
import { Panel } from '../parts/panel.js';
import { duration, ratio } from '../text/format.js';

const FULLNESS: readonly TimeSeries[] = [
  { name: 'utilization', colour: 'accent', look: 'area', pick: ({ utilization }) => utilization },
  { name: 'throttle probability', colour: 'violet', look: 'dashed', pick: ({ throttle }) => throttle },
];

const TIMES: readonly TimeSeries[] = [
  { name: 'latency, median', colour: 'accent', look: 'line', pick: ({ latencyMs }) => latencyMs },
  { name: 'queue time', colour: 'violet', look: 'area', pick: ({ queueMs }) => queueMs },
];

const P99: TimeSeries = { name: 'p99', colour: 'warn', look: 'line', pick: ({ load }) => load?.p99Ms };

/** How full it is, and from where on whom it refuses. */
export function Fullness({ live }: { readonly live: Live }) {
  const { samples, current } = live.history;
  const thresholds = current?.guard?.gate?.refusedShares ?? [];
  const levels = thresholds.map(({ criticality, refuseFrom }) => ({
    value: refuseFrom,
    label: criticality,
    colour: 'ink-soft' as const,
  }));
  return (
    <Panel id="fullness" title="Utilization" span={3} note="dotted: refused from here on">
      <TimeChart
        title="Utilization"
        series={FULLNESS}
        samples={samples}
        happenings={live.happenings}
        levels={levels}
        format={ratio}
        atLeast={1.2}
      />
    </Panel>
  );
}

/** How long things take here. */
export function Times({ live }: { readonly live: Live }) {
  const { samples, current } = live.history;
  return (
    <Panel id="times" title="Latency and queue time" span={3}>
      <TimeChart
        title="Latency and queue time"
        series={current?.demo?.load === undefined ? TIMES : [...TIMES, P99]}
        samples={samples}
        happenings={live.happenings}
        format={duration}
        atLeast={5}
      />
    </Panel>
  );
}
