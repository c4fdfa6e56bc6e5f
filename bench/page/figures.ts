import type { BarPanel, Figure, Line, LinePanel, Panel } from '../../src/simulator/report/figure.js';
import type { BenchName } from '../catalogue.js';
import type { BenchResult } from '../record/result.js';
import { figureAt, type Row, rowsOf } from './lookup.js';
import { floodsOf, HANDLERS, OURS, serversOf } from './side-by-side.js';
import { withoutEmptyFigures } from './views.js';

export interface BenchFigure {
  /** Of its files: `bench-<name>-light.svg`. */
  readonly name: string;
  readonly bench: BenchName;
  readonly figure: Figure;
}

/** All that the results give; a figure without data is left out. */
export function figuresOf(results: readonly BenchResult[]): BenchFigure[] {
  const drawn: [name: string, bench: BenchName, figure: Figure | undefined][] = [
    [
      'goodput',
      'overload',
      goodput(floodsOf(results, HANDLERS[0]), 'A server that computes for 2 ms a request'),
    ],
    ['cost', 'overload', costOfGuards(results)],
    ['policies', 'client', policies(results)],
    ['limiters', 'ratelimit', limiters(results)],
    ['proxies', 'proxy', proxies(results)],
    ['grpc', 'grpc', goodput(grpcFloods(results), 'A gRPC server that computes for 2 ms a call')],
    ['picking', 'picking', picking(results)],
  ];
  return drawn.flatMap(([name, bench, figure]) => (figure === undefined ? [] : [{ name, bench, figure }]));
}

function grpcFloods(results: readonly BenchResult[]): Row[] {
  return rowsOf(results, 'grpc', 'grpc: unary').map(withoutEmptyFigures);
}

/** The multiple in `10×`. */
const multipleOf = ({ load }: Row): number => Number.parseFloat(String(load));

/** Ours by other means, and others tuned: in the tables. */
const isVariant = (server: string): boolean => server.includes(',');

function goodput(rows: readonly Row[], title: string): Figure | undefined {
  const servers = serversOf(rows).filter((server) => !isVariant(server));
  const linesOf = (column: string): Line[] =>
    servers.map((server) => ({
      name: server,
      points: rows
        .filter((row) => row['server'] === server && typeof row[column] === 'number')
        .map((row): [number, number] => [multipleOf(row), row[column] as number]),
    }));
  if (servers.length < 2) return undefined;
  const x = { label: 'requests sent, times what it can do', isLogarithmic: true };
  const panels: LinePanel[] = [
    {
      kind: 'lines',
      title: 'Served in time',
      x,
      y: { label: 'good answers, of its own peak' },
      lines: linesOf('share'),
    },
    {
      kind: 'lines',
      title: 'Latency of what is served',
      x,
      y: { label: 'p99, ms', isLogarithmic: true },
      lines: linesOf('p99Ms').filter(({ points }) => points.length > 0),
    },
  ];
  const caption = 'Clients give up after a second; there is no latency where nobody was answered in time.';
  return { title: `${title}, asked for too much`, caption, panels };
}

function costOfGuards(results: readonly BenchResult[]): Figure | undefined {
  const rows = rowsOf(results, 'overload', 'overload: hello world');
  const panel = barPanel(rows, 'server', 'speed', 'requests/s, of bare node:http', '');
  return (
    panel && {
      title: 'What a guard costs a server that does nothing else',
      caption: 'Hello world with 50 clients that wait for their answers, on one core; bare node:http is 1.',
      panels: [{ ...panel, marks: [{ value: 1, label: 'bare' }] }],
    }
  );
}

function policies(results: readonly BenchResult[]): Figure | undefined {
  const rows = rowsOf(results, 'client', 'client: one of four');
  const panel = barPanel(rows, 'sender', 'p99 ms', 'p99, ms', '');
  return (
    panel && {
      title: 'One of four backends is four times slower',
      caption:
        "The same load by undici's BalancedPool and by the client's policies: 78 % of what the backends can do.",
      panels: [panel],
    }
  );
}

function limiters(results: readonly BenchResult[]): Figure | undefined {
  const panels = [inMemory(results), onRedis(results)].flatMap((panel) => panel ?? []);
  if (panels.length === 0) return undefined;
  return {
    title: 'Decisions of rate limiters, against rate-limiter-flexible',
    caption: 'How many times as many decisions a second as the other makes in the same rounds.',
    panels,
  };
}

const PEER_MARK = [{ value: 1, label: 'the other' }];

function inMemory(results: readonly BenchResult[]): Panel | undefined {
  const keys = ['one key', '100,000 keys, the same strings', '100,000 keys, strings made anew'];
  const rows = keys.map((key) => rowsOf(results, 'ratelimit', `ratelimit: decisions in memory, ${key}`));
  const bars = ['takeNow', 'await take'].map((how) => ({
    name: how,
    values: rows.map((each) => figureAt(each, { name: `plimsoll, ${how}` }, 'to the peer') ?? Number.NaN),
  }));
  if (bars.some(({ values }) => values.some(Number.isNaN))) return undefined;
  return {
    kind: 'bars',
    title: 'In memory, one core',
    x: { label: '', categories: keys },
    y: { label: 'decisions/s, times the other' },
    bars,
    marks: PEER_MARK,
  };
}

function onRedis(results: readonly BenchResult[]): Panel | undefined {
  const callers = [64, 512];
  const ratios = callers.map((count) => {
    const rows = rowsOf(results, 'ratelimit', `ratelimit: decisions on Redis, ${count}`);
    const of = (name: string) => figureAt(rows, { name }, 'decisions/s') ?? Number.NaN;
    return of(OURS) / of('rate-limiter-flexible');
  });
  if (ratios.some(Number.isNaN)) return undefined;
  return {
    kind: 'bars',
    title: 'On Redis, one round trip each',
    x: { label: 'callers at once', categories: callers.map(String) },
    y: { label: 'decisions/s, times the other' },
    bars: [{ name: 'await take', values: ratios }],
    marks: PEER_MARK,
  };
}

function proxies(results: readonly BenchResult[]): Figure | undefined {
  const rows = rowsOf(results, 'proxy', 'proxy: requests a second').filter(({ proxy }) => proxy !== 'nginx');
  const speed = barPanel(rows, 'proxy', 'of nginx', 'requests/s, of nginx', 'Speed');
  const cpu = barPanel(rows, 'proxy', 'CPU µs/request', 'µs a request', 'CPU of the proxy');
  return (
    speed &&
    cpu && {
      title: 'Proxies on Node, against nginx with one worker',
      caption: 'One core for the proxy, 64 clients that wait for their answers; nginx is 1 on the left.',
      panels: [speed, cpu],
    }
  );
}

function picking(results: readonly BenchResult[]): Figure | undefined {
  const rows = rowsOf(results, 'picking', 'picking');
  const names = [...new Set(rows.map(({ policy }) => String(policy)))];
  if (names.length === 0) return undefined;
  const panel: LinePanel = {
    kind: 'lines',
    title: '',
    x: { label: 'backends', isLogarithmic: true },
    y: { label: 'picks/s', isLogarithmic: true },
    lines: names.map((name) => ({
      name,
      points: rows
        .filter(({ policy }) => policy === name)
        .map((row): [number, number] => [Number(row['backends']), Number(row['perSecond'])]),
    })),
  };
  return {
    title: 'Picks a second by number of backends',
    caption:
      'One core, no network: a pick and the end of another request, with a load report in every answer.',
    panels: [panel],
  };
}

/** A bar for each row. */
function barPanel(
  rows: readonly Row[],
  category: string,
  column: string,
  label: string,
  title: string,
): BarPanel | undefined {
  const values = rows.map((row) => row[column]);
  if (values.length === 0 || !values.every((value) => typeof value === 'number')) return undefined;
  const categories = rows.map((row) => String(row[category]));
  return { kind: 'bars', title, x: { label: '', categories }, y: { label }, bars: [{ name: label, values }] };
}
