import { useMemo, useState } from 'preact/hooks';
import { CRITICALITIES } from '../../../src/core/criticality.js';
import type { ColourName } from '../charts/palette.js';
import { TimeChart } from '../charts/time-chart.js';
import type { TimeSeries } from '../charts/time-series.js';
import { sumOfValues } from '../data/rates.js';
import type { Sample } from '../data/sample.js';
import type { Live } from '../live/live.js';
import { Panel } from '../parts/panel.js';
import { Segments } from '../parts/segments.js';
import { perSecond } from '../text/format.js';
import { byName } from '../text/reasons.js';

const GOODPUT: TimeSeries = {
  name: 'goodput',
  colour: 'good',
  look: 'stack',
  pick: ({ goodput }) => goodput,
};
const FAILED: TimeSeries = {
  name: 'failed',
  colour: 'ink-soft',
  look: 'stack',
  pick: ({ failed }) => failed,
};

type View = 'criticality' | 'reason';

/** What is served, and on top of it what is refused: together what has come. */
export function Traffic({ live }: { readonly live: Live }) {
  const [view, setView] = useState<View>('criticality');
  const { samples } = live.history;
  const series = useMemo(
    () => [
      GOODPUT,
      ...(view === 'criticality' ? byCriticality(samples) : byReason(samples)),
      ...ifAny(FAILED, samples),
    ],
    [view, samples],
  );
  return (
    <Panel
      id="traffic"
      title="Goodput and refusals"
      span={6}
      note={
        <Segments
          label="Refusals by"
          value={view}
          options={[
            { value: 'criticality', label: 'criticality' },
            { value: 'reason', label: 'reason' },
          ]}
          onChange={(value) => setView(value as View)}
        />
      }
    >
      <TimeChart
        title="Goodput and refusals a second"
        series={series}
        samples={samples}
        happenings={live.happenings}
        areMarksNamed
        format={perSecond}
        atLeast={10}
      />
    </Panel>
  );
}

function byCriticality(samples: Live['history']['samples']): TimeSeries[] {
  const guarded = CRITICALITIES.map(
    (name): TimeSeries => ({
      name: name,
      colour: name.toLowerCase().replaceAll('_', '-') as ColourName,
      look: 'stack',
      pick: ({ refused }) => refused[name],
    }),
  );
  const others: TimeSeries = {
    name: 'limits, throttle, backends',
    colour: 'violet',
    look: 'stack',
    pick: (sample) => Math.max(0, sumOfValues(sample.reasons) - sumOfValues(sample.refused)),
  };
  return [...guarded, others].flatMap((each) => ifAny(each, samples));
}

const REASON_COLOURS: readonly ColourName[] = [
  'warn',
  'violet',
  'accent',
  'bad',
  'plain',
  'sheddable',
  'critical',
];

function byReason(samples: Live['history']['samples']): TimeSeries[] {
  const names = new Set(
    samples.flatMap((sample) => (sample === undefined ? [] : Object.keys(byName(sample.reasons)))),
  );
  return [...names].sort().map((name, i) => ({
    name,
    colour: REASON_COLOURS[i % REASON_COLOURS.length]!,
    look: 'stack',
    pick: (sample) => byName(sample.reasons)[name] ?? 0,
  }));
}

/** A line along zero for five minutes says nothing, and a legend of ten is read by nobody. */
function ifAny(series: TimeSeries, samples: readonly (Sample | undefined)[]): TimeSeries[] {
  return samples.some((sample) => sample !== undefined && (series.pick(sample) ?? 0) > 0) ? [series] : [];
}
