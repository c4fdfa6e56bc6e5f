import { median, quantileOfSorted } from '../../overload/statistics.js';
import { barePool, ownClient, type Sender } from './senders.js';

export interface CompareOptions {
  readonly url: string;
  readonly connections: number;
  readonly rounds: number;
}

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
}

export interface Compared {
  readonly pool: Round;
  readonly client: Round;
  /** Medians of what each round had of the one before or after it. */
  readonly throughputRatio: number;
  readonly p99Ratio: number;
}

const WARM_UP_MS = 3_000;
const ROUND_MS = 500;

/** The same requests over the same number of connections, by a bare pool and by a client, round by round. */
export async function compare({ url, connections, rounds }: CompareOptions): Promise<Compared> {
  const senders = { pool: barePool(url, connections), client: ownClient(url, connections) };
  for (const sender of Object.values(senders)) await run(sender, connections, WARM_UP_MS);
  const found = { pool: [] as Round[], client: [] as Round[] };
  for (let round = 0; round < rounds; round++) {
    // Whoever is first has the machine as the other left it.
    const order = round % 2 === 0 ? (['pool', 'client'] as const) : (['client', 'pool'] as const);
    for (const name of order) found[name].push(await run(senders[name], connections, ROUND_MS));
  }
  for (const sender of Object.values(senders)) await sender.stop();
  const ratio = (of: keyof Round) =>
    median(found.client.map((round, index) => round[of] / found.pool[index]![of]));
  return {
    pool: middle(found.pool),
    client: middle(found.client),
    throughputRatio: ratio('perSecond'),
    p99Ratio: ratio('p99Ms'),
  };
}

async function run({ send }: Sender, callers: number, forMs: number): Promise<Round> {
  const latencies: number[] = [];
  const before = process.cpuUsage();
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
  const seconds = (performance.now() - startMs) / 1_000;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    p99Ms: quantileOfSorted(latencies, 0.99),
    cpuMicroseconds: (user + system) / latencies.length,
  };
}

function middle(rounds: readonly Round[]): Round {
  const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
  return { perSecond: of('perSecond'), p99Ms: of('p99Ms'), cpuMicroseconds: of('cpuMicroseconds') };
}
