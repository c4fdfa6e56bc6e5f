import { median, quantileOfSorted } from '../../overload/statistics.js';
import { stolenMs } from '../../overload/stolen-time.js';
import { barePool, ownClient, type Sender } from './senders.js';

export interface CompareOptions {
  readonly url: string;
  readonly connections: number;
  /** Of each, that nothing else disturbed. */
  readonly rounds: number;
}

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
  /** Part of the time in which this process could have run, but something else did on its core. */
  readonly stolenShare: number;
}

export interface Compared {
  readonly pool: Round;
  readonly client: Round;
  /** Pairs of rounds of which one was disturbed: left out, as long as there are others. */
  readonly disturbed: number;
  /** Medians of what each round had of the one before or after it. */
  readonly throughputRatio: number;
  readonly p99Ratio: number;
}

const WARM_UP_MS = 3_000;
const ROUND_MS = 500;

/** The threads that compile and collect for it are on the same core. */
const MOST_STOLEN_SHARE = 0.1;

/** With a neighbour that does not rest: so many times the rounds, and then all of them count. */
const MOST_TRIES = 3;

/** The same requests over the same number of connections, by a bare pool and by a client, round by round. */
export async function compare({ url, connections, rounds }: CompareOptions): Promise<Compared> {
  const senders = { pool: barePool(url, connections), client: ownClient(url) };
  for (const sender of Object.values(senders)) await run(sender, connections, WARM_UP_MS);
  const pairs: Pair[] = [];
  for (let tried = 0; tried < rounds * MOST_TRIES && pairs.filter(isCalm).length < rounds; tried++) {
    // Whoever is first has the machine as the other left it.
    const order = tried % 2 === 0 ? (['pool', 'client'] as const) : (['client', 'pool'] as const);
    const pair: Partial<Record<keyof Pair, Round>> = {};
    for (const name of order) pair[name] = await run(senders[name], connections, ROUND_MS);
    pairs.push(pair as Pair);
  }
  for (const sender of Object.values(senders)) await sender.stop();
  const calm = pairs.filter(isCalm);
  const counted = calm.length >= rounds ? calm : pairs;
  const ratio = (of: keyof Round) => median(counted.map(({ pool, client }) => client[of] / pool[of]));
  return {
    pool: middle(counted.map(({ pool }) => pool)),
    client: middle(counted.map(({ client }) => client)),
    disturbed: pairs.length - calm.length,
    throughputRatio: ratio('perSecond'),
    p99Ratio: ratio('p99Ms'),
  };
}

interface Pair {
  readonly pool: Round;
  readonly client: Round;
}

function isCalm({ pool, client }: Pair): boolean {
  return Math.max(pool.stolenShare, client.stolenShare) <= MOST_STOLEN_SHARE;
}

async function run({ send }: Sender, callers: number, forMs: number): Promise<Round> {
  const latencies: number[] = [];
  const before = process.cpuUsage();
  const stolenBeforeMs = stolenMs();
  const startMs = performance.now();
  const endMs = startMs + forMs;
  const call = async () => {
    for (let now = performance.now(); now < endMs; ) {
      const sentMs = now;
      const { body } = await send();
      await body.dump();
      now = performance.now();
      latencies.push(now - sentMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const { user, system } = process.cpuUsage(before);
  const tookMs = performance.now() - startMs;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: (latencies.length * 1_000) / tookMs,
    p99Ms: quantileOfSorted(latencies, 0.99),
    cpuMicroseconds: (user + system) / latencies.length,
    stolenShare: (stolenMs() - stolenBeforeMs) / tookMs,
  };
}

function middle(rounds: readonly Round[]): Round {
  const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
  return {
    perSecond: of('perSecond'),
    p99Ms: of('p99Ms'),
    cpuMicroseconds: of('cpuMicroseconds'),
    stolenShare: of('stolenShare'),
  };
}
