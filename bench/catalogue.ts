/** What there is to know of a bench besides what it measures. Its method is beside it, in `bench/<name>.md`. */
export interface BenchFacts {
  /** On two cores that are otherwise idle, about: what is left of a run of all is guessed by it. */
  readonly seconds: number;
  /** What is compared with, or measured through: their versions go into the result. */
  readonly packages: readonly string[];
  readonly programs: readonly ProgramName[];
  /** Flags by which it is over soon. None: it cannot be shortened, or is short anyway. */
  readonly quick: Readonly<Record<string, string>>;
}

export type ProgramName = 'redis-server' | 'nginx' | 'wrk';

/** In the order in which they run, and stand on the page. */
export const CATALOGUE = {
  overload: {
    seconds: 1_080,
    packages: ['@fastify/under-pressure', 'fastify', 'toobusy-js', 'overload-protection'],
    programs: [],
    quick: { only: 'refusal', runs: '1' },
  },
  client: {
    seconds: 330,
    packages: ['undici'],
    programs: [],
    quick: { only: 'lame-duck,overhead' },
  },
  ratelimit: {
    seconds: 330,
    packages: ['rate-limiter-flexible', 'ioredis'],
    programs: ['redis-server'],
    quick: { only: 'speed,bytes' },
  },
  proxy: {
    seconds: 480,
    packages: ['undici', 'fast-proxy', 'http-proxy-3', '@fastify/http-proxy', 'http-proxy'],
    programs: ['nginx', 'wrk'],
    quick: { runs: '1', seconds: '1' },
  },
  gateway: {
    seconds: 1_010,
    packages: ['undici', 'ioredis'],
    programs: ['nginx', 'wrk', 'redis-server'],
    quick: { only: 'closed-loop,soak', runs: '1', seconds: '1', for: '10s' },
  },
  grpc: {
    seconds: 480,
    packages: ['@grpc/grpc-js'],
    programs: [],
    quick: { only: 'refusal', seconds: '7' },
  },
  quota: {
    seconds: 300,
    packages: ['ioredis'],
    programs: ['redis-server'],
    quick: { only: 'backend,coordinator' },
  },
  'ratelimit-service': {
    seconds: 200,
    packages: ['@grpc/grpc-js', 'ioredis'],
    programs: ['redis-server'],
    quick: {},
  },
  accounting: { seconds: 45, packages: [], programs: [], quick: {} },
  picking: { seconds: 60, packages: [], programs: [], quick: {} },
  subsetting: { seconds: 10, packages: [], programs: [], quick: {} },
  decisions: { seconds: 30, packages: [], programs: [], quick: {} },
  'window-error': { seconds: 60, packages: [], programs: [], quick: {} },
  simulator: { seconds: 20, packages: [], programs: [], quick: {} },
  fleets: { seconds: 60, packages: [], programs: [], quick: {} },
} as const satisfies Record<string, BenchFacts>;

export type BenchName = keyof typeof CATALOGUE;

export const BENCH_NAMES = Object.keys(CATALOGUE) as readonly BenchName[];

export function factsOf(name: BenchName): BenchFacts {
  return CATALOGUE[name];
}
