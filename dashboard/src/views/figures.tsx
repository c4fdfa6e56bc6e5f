import { Sparkline } from '../charts/sparkline.js';
import { sumOfValues } from '../data/rates.js';
import type { Sample } from '../data/sample.js';
import type { Live } from '../live/live.js';
import { count, duration, percent, perSecond, ratio } from '../text/format.js';
import { toneOf } from '../text/tones.js';

/** The numbers one looks at first, each with its last minute. */
export function Figures({ live }: { readonly live: Live }) {
  const { history } = live;
  const { last, samples, current } = history;
  const refused = last === undefined ? undefined : sumOfValues(last.reasons);
  const offered =
    last === undefined || refused === undefined ? undefined : last.goodput + last.failed + refused;
  const limit = current?.guard?.gate?.limit;
  const of = (pick: (sample: Sample) => number | undefined) =>
    samples.map((sample) => (sample === undefined ? undefined : pick(sample)));
  return (
    <ul class="figures span-12">
      <Figure
        name="Goodput"
        value={perSecond(last?.goodput)}
        values={of(({ goodput }) => goodput)}
        colour="good"
      />
      <Figure
        name="Refused"
        value={perSecond(refused)}
        note={offered ? `${percent((refused ?? 0) / offered)} of what came` : undefined}
        values={of(({ reasons }) => sumOfValues(reasons))}
        colour="warn"
      />
      <Figure
        name="Failed"
        value={perSecond(last?.failed)}
        values={of(({ failed }) => failed)}
        colour="bad"
      />
      <Figure
        name="Utilization"
        value={ratio(last?.utilization)}
        note="1 is the target"
        values={of(({ utilization }) => utilization)}
        colour={toneOf(last?.utilization)}
      />
      <Figure
        name="In flight"
        value={count(last?.inFlight)}
        note={typeof limit === 'number' ? `at most ${count(Math.floor(limit))}` : undefined}
        values={of(({ inFlight }) => inFlight)}
        colour="accent"
      />
      <Figure
        name="Queue time"
        value={duration(last?.queueMs)}
        note={last === undefined ? undefined : `${count(last.waiting)} waiting`}
        values={of(({ queueMs }) => queueMs)}
        colour="violet"
      />
      <Figure
        name="Latency"
        value={duration(last?.latencyMs)}
        note="median"
        values={of(({ latencyMs }) => latencyMs)}
        colour="accent"
      />
      <Figure
        name="Retries"
        value={perSecond(last?.retries)}
        values={of(({ retries }) => retries)}
        colour="plain"
      />
    </ul>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly values: readonly (number | undefined)[];
  readonly colour: string;
}

function Figure({ name, value, note, values, colour }: FigureProps) {
  return (
    <li class="figure">
      <span class="figure-name">{name}</span>
      <span class="figure-value num">{value}</span>
      <span class="figure-note">{note ?? ' '}</span>
      <Sparkline values={values} colour={colour} />
    </li>
  );
}
