import { SeededRandom } from '../../core/seeded-random.js';
import type { Figure, Line } from '../../simulator/report/figure.js';

/** Figures of every kind that scenarios make, with data that looks like theirs. */

const random = new SeededRandom(1);

const policies = ['round-robin', 'least-loaded', 'weighted', 'prequal'] as const;

/** SRE ch. 20, figure 20-3: how many connections each of 300 backends has. */
export const MANY_BARS: Figure = {
  title: 'Connections of each backend, random subsets',
  caption:
    'With 300 clients of 30 backends each, the least used backend has half of the mean and the most used one and a half times as much.',
  panels: [
    {
      kind: 'bars',
      title: '',
      x: { label: 'backend', categories: Array.from({ length: 300 }, (_, at) => String(at)) },
      y: { label: 'connections' },
      bars: [{ name: 'connections', values: Array.from({ length: 300 }, () => connections()) }],
      marks: [{ value: 30, label: 'mean' }],
    },
  ],
};

function connections(): number {
  let count = 0;
  for (let client = 0; client < 300; client++) if (random.next() < 0.1) count++;
  return count;
}

/** SRE ch. 20, figure 20-6: CPU of each of 50 backends over time. */
export const THIN_LINES: Figure = {
  title: 'CPU of every backend over time',
  caption: 'Machines of different speed and antagonistic neighbours: only weights and probes even it out.',
  sharesScale: true,
  panels: (['round-robin', 'least-loaded', 'weighted'] as const).map((policy, at) => ({
    kind: 'lines',
    title: policy,
    x: { label: 'time, s' },
    y: { label: 'CPU, 1 = reserved' },
    lines: Array.from({ length: 50 }, (_, backend) => thinLine(`backend-${backend}`, [0.5, 0.28, 0.06][at]!)),
    marks: [{ value: 1, label: 'reserved' }],
  })),
};

function thinLine(name: string, spread: number): Line {
  const level = 0.75 + spread * (random.next() - 0.5) * 1.6;
  let drift = 0;
  const points = Array.from({ length: 60 }, (_, at) => {
    drift = 0.8 * drift + (random.next() - 0.5) * spread * 0.3;
    return [at * 10, Math.max(0, level + drift)] as const;
  });
  return { name, points, isThin: true };
}

/** Several policies beside each other, for several criticalities. */
export const GROUPED_BARS: Figure = {
  title: 'Requests served, by criticality and policy',
  caption: 'At twice the capacity.',
  panels: [
    {
      kind: 'bars',
      title: '',
      x: { label: '', categories: ['CRITICAL_PLUS', 'CRITICAL', 'SHEDDABLE_PLUS', 'SHEDDABLE'] },
      y: { label: 'requests/s' },
      bars: policies.map((name, at) => ({
        name,
        values: [1_000, 940 - at * 30, 420 + at * 60, 40 + at * 70],
      })),
    },
  ],
};

/** Latency against load, on a logarithmic axis. */
export const LATENCY_BY_LOAD: Figure = {
  title: 'Latency under load',
  caption: 'The tail of Prequal stays where it is until nearly all is used; deadlines are at 5 s.',
  panels: [
    {
      kind: 'lines',
      title: '',
      x: { label: 'offered load, 1 = reserved' },
      y: { label: 'p99 latency, ms', isLogarithmic: true },
      lines: policies.map((name, at) => ({
        name,
        points: Array.from({ length: 10 }, (_, step) => {
          const load = 0.75 + step * 0.11;
          const knee = [0.93, 1.04, 1.02, 1.45][at]!;
          return [
            load,
            Math.min(5_000, 80 * (1 + 0.3 * load) + 4_900 / (1 + Math.exp(-(load - knee) * 22))),
          ] as const;
        }),
      })),
      marks: [{ value: 5_000, label: 'deadline' }],
    },
  ],
};

/** Two scales, thin and named lines together, small multiples in two rows, an axis that does not start at 0. */
export const MIXED: Figure = {
  title:
    'Goodput while a twelvefold spike of sheddable requests comes in, and what is refused meanwhile, over five minutes',
  caption:
    'Critical requests do not notice. The spike starts after a minute and lasts two; each thin line is one backend, each thick one all of them together, divided by their number.',
  panels: [
    linesPanel('goodput', 'requests/s', 1_000, 30),
    linesPanel('refused', 'requests/s', 12, 6),
    {
      kind: 'lines',
      title: 'success of critical requests',
      x: { label: 'time, s' },
      y: { label: 'share' },
      lines: [
        {
          name: 'all backends',
          points: Array.from({ length: 60 }, (_, at) => [at * 5, 0.998 - random.next() * 0.004] as const),
        },
      ],
      marks: [{ value: 0.994, label: 'at least' }],
    },
    {
      kind: 'bars',
      title: 'attempts for each request',
      x: { label: 'attempts', categories: ['1', '2', '3'] },
      y: { label: 'requests', isLogarithmic: true },
      bars: [{ name: 'all backends', values: [123_456, 2_345, 67] }],
    },
    {
      kind: 'bars',
      title: 'CPU',
      x: { label: '', categories: [...policies] },
      y: { label: 'max/mean' },
      bars: [{ name: 'all backends', values: [1.62, 1.41, 1.07, 1.11] }],
      marks: [{ value: 1.1, label: 'bound' }],
    },
  ],
};

function linesPanel(title: string, label: string, level: number, noise: number): Figure['panels'][number] {
  const wobble = () => level + (random.next() - 0.5) * noise;
  const points = (spread: () => number) => Array.from({ length: 60 }, (_, at) => [at * 5, spread()] as const);
  return {
    kind: 'lines',
    title,
    x: { label: 'time, s' },
    y: { label },
    lines: [
      ...Array.from({ length: 8 }, (_, at) => ({
        name: `backend-${at}`,
        points: points(() => wobble() * (0.6 + at * 0.1)),
        isThin: true,
      })),
      { name: 'all backends', points: points(wobble) },
    ],
  };
}
