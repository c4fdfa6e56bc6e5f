import { CRITICALITIES, type Criticality } from '../../core/index.js';
import { cut, number, percent, uptime } from './cells.js';
import { joined, tableLines } from './lines.js';
import { type Looks, rateOf } from './rates.js';
import { countedOf, processesOf, type Seen } from './seen.js';

/** State and why, in two lines or three. */
export function stateLines({ now }: Looks<Seen>, width: number): string[] {
  const processes = processesOf(now);
  const state =
    now.state ?? now.primary?.state ?? processes[0]?.state ?? processes[0]?.guard?.state ?? 'unknown';
  const own = now.process;
  const { inFlight, waiting, connections } = countedOf(now).guard ?? {};
  const whys = [...new Set(processes.flatMap(({ guard }) => guard?.why ?? []))];
  const rss = processes.reduce((sum, each) => sum + (each.process?.residentBytes ?? 0), 0);
  return [
    joined(
      [
        state.toUpperCase(),
        now.workers === undefined ? undefined : `${processes.length} workers`,
        own === undefined ? undefined : `pid ${own.pid}, up ${uptime(own.uptimeMs)}`,
        rss === 0 ? undefined : `${(rss / 1_048_576).toFixed(0)} MiB`,
        `in flight ${number(inFlight)}, waiting ${number(waiting)}`,
        `connections ${number(connections)}`,
      ],
      width,
    ),
    ...whys.slice(0, 3).map((why) => cut(`guard ${why}`, width)),
  ];
}

type Count = 'started' | 'ended' | 'failed' | 'refused' | 'left';

function countOf(seen: Seen, criticality: Criticality, name: Count): number | undefined {
  return countedOf(seen).guard?.counts?.[criticality]?.[name];
}

/** What comes in and what becomes of it, a second, by criticality: the most critical first. */
export function flowLines(looks: Looks<Seen>, width: number): string[] {
  if (countedOf(looks.now).guard?.counts === undefined) return [];
  const rate = (criticality: Criticality, name: Count) =>
    rateOf(looks, (seen) => countOf(seen, criticality, name));
  const row = (label: string, of: (name: Count) => number | undefined) => {
    const [started, ended, failed, refused, left] = (
      ['started', 'ended', 'failed', 'refused', 'left'] as const
    ).map(of);
    const well = ended === undefined ? undefined : ended - (failed ?? 0);
    const came = started === undefined || refused === undefined ? undefined : started + refused;
    const share = came === undefined || came === 0 ? undefined : refused! / came;
    return [label, ...[came, well, refused].map(number), percent(share), ...[failed, left].map(number)];
  };
  const all = (name: Count) => sum(CRITICALITIES.map((criticality) => rate(criticality, name)));
  return tableLines(
    {
      headings: ['a second', 'arrive', 'answered', 'refused', 'share', '5xx', 'left'],
      rows: [
        ...[...CRITICALITIES]
          .reverse()
          .map((criticality) => row(criticality, (name) => rate(criticality, name))),
        row('all', all),
      ],
      texts: 1,
    },
    width,
  );
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  return values.some((value) => value === undefined)
    ? undefined
    : values.reduce<number>((total, value) => total + value!, 0);
}

/** Who refuses and why, a second, the most frequent first. */
export function reasonLines(looks: Looks<Seen>, width: number): string[] {
  const { guard = {} } = countedOf(looks.now);
  const reasons = new Map<string, number>();
  const add = (name: string, rate: number | undefined) => {
    if (rate !== undefined && rate > 0) reasons.set(name, (reasons.get(name) ?? 0) + rate);
  };
  for (const [criticality, byReason] of Object.entries(guard.refusals ?? {}) as [Criticality, object][])
    for (const reason of Object.keys(byReason))
      add(
        reason,
        rateOf(
          looks,
          (seen) =>
            (countedOf(seen).guard?.refusals?.[criticality] as Record<string, number> | undefined)?.[reason],
        ),
      );
  for (const [at, each] of processesOf(looks.now).entries())
    for (const [service, { counts }] of Object.entries(each.services ?? {}))
      for (const code of Object.keys(counts?.rejected ?? {}))
        add(
          nameOf(code),
          rateOf(looks, (seen) => processesOf(seen)[at]?.services?.[service]?.counts?.rejected[code] ?? 0),
        );
  for (const route of Object.keys(countedOf(looks.now).routes ?? {}))
    add(
      'rate limit',
      rateOf(looks, (seen) => countedOf(seen).routes?.[route]?.limited),
    );
  if (reasons.size === 0) return [];
  const sorted = [...reasons].sort(([, one], [, other]) => other - one);
  return [joined(['refused for', ...sorted.map(([name, rate]) => `${name} ${number(rate)}`)], width, '  ')];
}

/** `PLIMSOLL_THROTTLED` is `throttled`. */
function nameOf(code: string): string {
  return code
    .replace(/^PLIMSOLL_/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
}
