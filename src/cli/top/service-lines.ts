import { spread } from '../../core/measuring/index.js';
import { bar, cut, number, percent } from './cells.js';
import { joined, tableLines } from './lines.js';
import { type Looks, rateOf } from './rates.js';
import { processesOf, type Seen, type SeenService } from './seen.js';

type SeenBackend = NonNullable<SeenService['backends']>[number];

const BAR_WIDTH = 10;
/** More backends than a screen has lines help nobody: the busiest. */
const MOST_BACKENDS = 20;

/** Each service: how its client does, and its backends. */
export function serviceLines(looks: Looks<Seen>, width: number): string[] {
  const processes = processesOf(looks.now);
  const names = [...new Set(processes.flatMap(({ services }) => Object.keys(services ?? {})))];
  return names.flatMap((name) => {
    const clients = processes.flatMap(({ services }) => services?.[name] ?? []);
    return ['', summaryLine(name, looks, clients, width), ...backendLines(looks.now, clients, width)];
  });
}

function summaryLine(
  name: string,
  looks: Looks<Seen>,
  clients: readonly SeenService[],
  width: number,
): string {
  const total = (count: (client: SeenService) => number | undefined) => (seen: Seen) =>
    processesOf(seen).reduce((sum, { services }) => sum + (count(services?.[name] ?? {}) ?? 0), 0);
  const retries = rateOf(
    looks,
    total(({ counts }) => counts?.attempts.slice(1).reduce((sum, count) => sum + count, 0)),
  );
  const throttled = Math.max(
    0,
    ...clients.flatMap(({ throttle }) => throttle ?? []).map((each) => each.probability),
  );
  const budgets = clients.flatMap(({ retryBudget }) => retryBudget ?? []);
  const utilizations = clients
    .flatMap(({ backends }) => backends ?? [])
    .flatMap((each) => utilizationOf(each) ?? []);
  return joined(
    [
      `service ${name}`,
      `goodput ${number(
        rateOf(
          looks,
          total(({ counts }) => counts?.outcomes.answered),
        ),
      )}/s`,
      `throttle up to ${percent(throttled)}`,
      `retries ${number(retries)}/s`,
      budgets.length === 0
        ? undefined
        : `budget ${number(budgets.reduce((sum, each) => sum + each.remaining, 0))}`,
      utilizations.length === 0 ? undefined : `busiest ${spread(utilizations).maxOverMean.toFixed(2)}× mean`,
      clients.some(({ isPanicking }) => isPanicking) ? 'PANICKING: too few are well' : undefined,
    ],
    width,
  );
}

function backendLines(now: Seen, clients: readonly SeenService[], width: number): string[] {
  const byUrl = new Map<string, SeenBackend[]>();
  for (const backend of clients.flatMap(({ backends }) => backends ?? []))
    byUrl.set(backend.url, [...(byUrl.get(backend.url) ?? []), backend]);
  const names = new Map(now.demo?.backends?.map(({ name, url }) => [url, name]));
  const rows = [...byUrl].map(([url, all]) => ({
    name: names.get(url) ?? url.replace(/^https?:\/\//, ''),
    all,
  }));
  rows.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
  const lines = tableLines(
    {
      headings: ['  backend', 'state', 'utilization', '', 'active', 'share', 'weight', 'latency', 'per s'],
      rows: rows.slice(0, MOST_BACKENDS).map(({ name, all }) => {
        const [first] = all;
        const utilization = utilizationOf(first!);
        return [
          `  ${cut(name, 28)}`,
          [...new Set(all.map(({ state }) => state))].join('/'),
          bar(utilization, BAR_WIDTH),
          percent(utilization),
          number(all.reduce((sum, { active }) => sum + active, 0)),
          percent(first!.share),
          number(first!.weight),
          first!.report?.latencyMs === undefined ? '–' : `${number(first!.report.latencyMs)} ms`,
          number(first!.report?.requestsPerSecond),
        ];
      }),
      texts: 3,
    },
    width,
  );
  return rows.length > MOST_BACKENDS ? [...lines, `  and ${rows.length - MOST_BACKENDS} more`] : lines;
}

function utilizationOf({ report }: SeenBackend): number | undefined {
  return report?.applicationUtilization ?? report?.cpuUtilization;
}
