import { percentFormat } from '../../src/simulations/report/numbers.js';
import type { BenchResult } from '../record/result.js';
import { figureAt, rowsOf } from './lookup.js';
import { floodsOf, HANDLERS, OURS, serversOf } from './side-by-side.js';

/** What somebody in a hurry should know, each as a ratio to something measured in the same run; nothing where that is missing. */
export function headlinesOf(results: readonly BenchResult[]): string[] {
  return [overload(results), limiter(results), balancing(results), proxies(results)].flatMap(
    (line) => line ?? [],
  );
}

/** Two digits are enough, but never all for nearly all. */
function percent(share: number): string {
  return share < 0.95 ? `${Number((share * 100).toPrecision(2))} %` : percentFormat([share])(share);
}

const times = (value: number): string => `${Number(value.toPrecision(value < 10 ? 2 : 3))}×`;

/** Beside the one that answers most, whatever that is: others shed as well, each in its way. */
function overload(results: readonly BenchResult[]): string | undefined {
  const rows = floodsOf(results, HANDLERS[0]);
  const at = (server: string, column: string) => figureAt(rows, { server, load: '10×' }, column);
  const others = serversOf(rows).filter((server) => !server.startsWith(OURS) && server !== 'bare');
  const best = others.sort((a, b) => (at(b, 'goodput') ?? 0) - (at(a, 'goodput') ?? 0))[0];
  const [share, p99Ms, bare] = [at(OURS, 'share'), at(OURS, 'p99Ms'), at('bare', 'share')];
  if (best === undefined || share === undefined || p99Ms === undefined || bare === undefined)
    return undefined;
  const theirs = [at(best, 'share'), at(best, 'p99Ms'), at(best, 'criticalPlus')].map((each) => each ?? 0);
  return (
    `At ten times what it can do, a guarded server goes on serving ${percent(share)} of its peak, and ` +
    `${percent(at(OURS, 'criticalPlus') ?? 0)} of what is \`CRITICAL_PLUS\`; a bare one ${percent(bare)}. ` +
    `Of ${others.length} other ways to shed, the one that serves most (\`${best}\`) serves ${percent(theirs[0]!)} of its peak with ` +
    `${times(theirs[1]! / p99Ms)} our p99, and ${percent(theirs[2]!)} of what is \`CRITICAL_PLUS\`.`
  );
}

/** Of the two ways in which keys come, the one in which we are less ahead. */
function limiter(results: readonly BenchResult[]): string | undefined {
  const inMemory = ['the same strings', 'strings made anew'].map((keys) =>
    rowsOf(results, 'ratelimit', `ratelimit: decisions in memory, 100,000 keys, ${keys}`),
  );
  const [now, later] = ['takeNow', 'await take'].map((how) =>
    leastOf(inMemory.map((rows) => figureAt(rows, { name: `plimsoll, ${how}` }, 'to the peer'))),
  );
  const onRedis = rowsOf(results, 'ratelimit', 'ratelimit: decisions on Redis, 512');
  const [ours, peer] = [OURS, 'rate-limiter-flexible'].map((name) =>
    figureAt(onRedis, { name }, 'decisions/s'),
  );
  if (now === undefined || later === undefined || ours === undefined || peer === undefined) return undefined;
  return (
    `Among 100,000 keys in memory rate limits decide at least ${times(later)} as fast as \`rate-limiter-flexible\` (${times(now)} without a promise), ` +
    `and ${times(ours / peer)} as fast on Redis with 512 callers.`
  );
}

/** Undefined where one is missing. */
function leastOf(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length < figures.length ? undefined : Math.min(...known);
}

function balancing(results: readonly BenchResult[]): string | undefined {
  const rows = rowsOf(results, 'client', 'client: one of four');
  const p99 = (sender: string) => figureAt(rows, { sender }, 'p99 ms');
  const [weighted, prequal, pool] = [p99('weighted'), p99('prequal'), p99('balanced-pool')];
  if (weighted === undefined || prequal === undefined || pool === undefined) return undefined;
  return (
    `With one of four backends four times slower, p99 by weights is ${percent(weighted / pool)} of that by undici's \`BalancedPool\`, ` +
    `and by Prequal ${percent(prequal / pool)}.`
  );
}

function proxies(results: readonly BenchResult[]): string | undefined {
  const rows = rowsOf(results, 'proxy', 'proxy: requests a second');
  const rate = (proxy: unknown) => figureAt(rows, { proxy }, 'requests/s');
  const others = rows.map(({ proxy }) => proxy).filter((proxy) => proxy !== OURS && proxy !== 'nginx');
  const fastest = Math.max(...others.map((proxy) => rate(proxy) ?? 0));
  const [ours, nginx] = [rate(OURS), rate('nginx')];
  if (ours === undefined || nginx === undefined || fastest <= 0) return undefined;
  return (
    `The gateway passes on ${times(ours / fastest)} as many requests a second as the fastest other proxy on Node here, ` +
    `and ${percent(ours / nginx)} of what nginx with one worker does.`
  );
}
