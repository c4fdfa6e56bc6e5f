import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../../redis/redis-server.js';
import { type Round, type Streamed, StressBed } from './stress-bed.js';

/** Backends of each of the two services, so that one is always there while another restarts. */
const BACKENDS = 3;
/** Each serves 100 at once for 20 ms, 5000 a second: two of three can do for a while what is asked of a service. */
const BACKEND = { places: 100, workMs: 20 };

export interface SoakOptions {
  readonly seconds: number;
  /** Of all streams together; where a share of what it bears is wanted, what is begun with. */
  readonly perSecond: number;
  /** Of what the gateway bears, which is found out before anything is counted; `undefined`: the rate stays as it is. */
  readonly loadShare: number | undefined;
  /** Where the gateway runs, for whoever has a core for it. */
  readonly onStart: ((pid: number) => void) | undefined;
  readonly reloadEveryMs: number;
  readonly restartEveryMs: number;
  readonly redisEveryMs: number;
  /** Whether the guard enforces what it decides: not where others use the machine, and this is about something else. */
  readonly isGuarded: boolean;
  /** Told after each round, about every ten seconds. */
  readonly onRound?: (sofar: Soaked) => void;
}

export const SOAK_DEFAULTS: SoakOptions = Object.freeze({
  seconds: 30,
  perSecond: 200,
  loadShare: undefined,
  onStart: undefined,
  reloadEveryMs: 1_000,
  // In a minute each of six has gone once and come back.
  restartEveryMs: 10_000,
  redisEveryMs: 45_000,
  isGuarded: true,
});

/** What became of all of it. */
export interface Soaked {
  readonly seconds: number;
  /** A second, without refusing any; 0: nobody has asked. */
  readonly bears: number;
  readonly perSecond: number;
  /** Of a core, what the gateway used. */
  readonly coreShare: number;
  readonly sent: number;
  readonly served: number;
  /** By the rule that refuses every second one of its requests. */
  readonly limited: number;
  /** 503 for overload, by the guard or for want of room at a service. */
  readonly shed: number;
  /** Everything else, by its status or error: nothing, if all is well. */
  readonly failed: Readonly<Record<string, number>>;
  readonly reloads: number;
  readonly restarts: number;
  readonly redisRestarts: number;
  /** In MB, after each round. */
  readonly rssMb: readonly number[];
  /** In MB an hour, over the second half, when caches are full and code is compiled. */
  readonly rssSlopeMbPerHour: number;
  readonly p99Ms: number;
}

const SEARCH_SECONDS = 5;
const STEP = 1.2;
/** A machine that stood still for a moment says nothing of what the gateway bears. */
const TRIES = 3;

function settingsOf(urls: readonly string[], redis: string, isGuarded: boolean, version: number): string {
  const list = (from: number) => urls.slice(from, from + BACKENDS).map((url) => `"${url}"`);
  return `
listen: 127.0.0.1:0
log: { level: off }
redis: ${redis}
overload: { mode: ${isGuarded ? 'enforce' : 'dry-run'} }
limits:
  many: { rate: 1000000/min, key: ip, algorithm: gcra }
  some: { rate: 600/min, key: all, algorithm: gcra, burst: 10, onStoreFailure: allow }
services:
  steady: { backends: [${list(0)}] }
  changing: { backends: [${list(BACKENDS)}], activeLimit: ${100 + (version % 50)} }
routes:
  - { path: /steady, to: steady, limits: [many] }
  - { path: /v${version}, to: steady }
  - { path: /changing/*, to: changing }
  - { path: /limited, to: steady, limits: [some] }
`;
}

const NOTHING = { sent: 0, served: 0, limited: 0, shed: 0, reloads: 0, restarts: 0, redisRestarts: 0 };

/** Load, and all that happens to a gateway in the course of a year, in a few minutes. */
export class Soak {
  readonly #options: SoakOptions;
  readonly #bed: StressBed;
  readonly #redis: RedisServer;
  readonly #urls: readonly string[];
  readonly #rssMb: number[] = [];
  readonly #failed: Record<string, number> = {};
  #counts = { ...NOTHING };
  #p99Ms = 0;
  #perSecond: number;
  #bears = 0;
  #version = 0;
  #began = { ms: 0, cpuMs: 0 };

  private constructor(options: SoakOptions, bed: StressBed, redis: RedisServer) {
    this.#options = options;
    this.#bed = bed;
    this.#redis = redis;
    this.#urls = bed.backends.map(({ url }) => url);
    this.#perSecond = options.perSecond;
  }

  static async run(given: Partial<SoakOptions> = {}): Promise<Soaked> {
    const options = { ...SOAK_DEFAULTS, ...given };
    const redis = await RedisServer.start();
    try {
      const backends = Array.from({ length: 2 * BACKENDS }, () => BACKEND);
      const bed = await StressBed.start(backends, (urls) =>
        settingsOf(urls, redis.url, options.isGuarded, 0),
      );
      try {
        options.onStart?.(bed.gateway.child.pid!);
        const soak = new Soak(options, bed, redis);
        await soak.#findRate();
        return await soak.#run();
      } finally {
        await bed.stop();
      }
    } finally {
      await redis.stop();
    }
  }

  async #run(): Promise<Soaked> {
    const { seconds, reloadEveryMs, restartEveryMs, redisEveryMs, onRound } = this.#options;
    this.#counts = { ...NOTHING };
    this.#p99Ms = 0;
    this.#begin();
    const endMs = this.#began.ms + seconds * 1_000;
    const isOver = () => performance.now() >= endMs;
    const trouble = Promise.all([
      every(reloadEveryMs, isOver, () => this.#reload()),
      every(restartEveryMs, isOver, () => this.#restart()),
      every(redisEveryMs, isOver, () => this.#restartRedis()),
    ]);
    trouble.catch(() => {});
    while (!isOver()) {
      const left = (endMs - performance.now()) / 1_000;
      this.#add(await this.#bed.round(this.#streams(), Math.min(10, Math.max(1, left))));
      onRound?.(this.#result());
    }
    await trouble;
    return this.#result();
  }

  /**
   * What it bears is the most that it serves without refusing any of it, in short rounds, with reloads, since they take
   * their part. It begins with little, for code has to be compiled. What fails here counts; what is shed is what is asked for.
   */
  async #findRate(): Promise<void> {
    const { loadShare, reloadEveryMs } = this.#options;
    if (loadShare === undefined) return;
    let isFound = false;
    const reloads = every(
      reloadEveryMs,
      () => isFound,
      () => this.#reload(),
    );
    reloads.catch(() => {});
    for (let tries = 0; tries < TRIES; ) {
      const { shed } = this.#counts;
      this.#begin();
      this.#add(await this.#bed.round(this.#streams(), SEARCH_SECONDS));
      this.#options.onRound?.(this.#result());
      const isBorne = this.#counts.shed === shed && Object.keys(this.#failed).length === 0;
      tries = isBorne ? 0 : tries + 1;
      if (!isBorne) continue;
      this.#bears = this.#perSecond;
      this.#perSecond = Math.round(this.#perSecond * STEP);
    }
    isFound = true;
    await reloads;
    this.#perSecond = Math.round(loadShare * this.#bears);
    this.#rssMb.length = 0;
  }

  #begin(): void {
    this.#began = { ms: performance.now(), cpuMs: this.#bed.cpuMs };
  }

  #coreShare(): number {
    return (this.#bed.cpuMs - this.#began.cpuMs) / (performance.now() - this.#began.ms);
  }

  #streams() {
    const perSecond = this.#perSecond;
    const stream = (name: string, path: string, share: number) => ({
      name,
      path,
      perSecond: perSecond * share,
    });
    return [
      stream('steady', '/steady', 0.5),
      stream('changing', '/changing/x', 0.4),
      // Twice what its rule lets pass, at 200 a second.
      stream('limited', '/limited', 0.1),
    ];
  }

  #reload(): Promise<void> {
    const { isGuarded } = this.#options;
    this.#counts.reloads++;
    return this.#bed.gateway.reload(settingsOf(this.#urls, this.#redis.url, isGuarded, ++this.#version));
  }

  async #restart(): Promise<void> {
    const { backends } = this.#bed;
    await backends[this.#counts.restarts++ % backends.length]!.restart();
  }

  async #restartRedis(): Promise<void> {
    this.#counts.redisRestarts++;
    await this.#redis.restart();
  }

  #add({ streams }: Round): void {
    for (const [name, streamed] of Object.entries(streams)) this.#count(name, streamed);
    this.#rssMb.push(Math.round(this.#bed.rssBytes / 1e4) / 100);
  }

  #count(name: string, { sent, over, statuses, titles, errors, p99Ms }: Streamed): void {
    const counts = this.#counts;
    const shed = titles['Overloaded'] ?? 0;
    counts.sent += sent;
    counts.shed += shed;
    for (const [status, count] of Object.entries(statuses)) {
      if (status === '200') counts.served += count;
      else if (status === '429' && name === 'limited') counts.limited += count;
      else this.#fail(`${name} ${status}`, status === '503' ? count - shed : count);
    }
    for (const [error, count] of Object.entries(errors)) this.#fail(`${name} ${error}`, count);
    if (over < sent) this.#fail(`${name} unanswered`, sent - over);
    if (name === 'steady') this.#p99Ms = Math.max(this.#p99Ms, p99Ms);
  }

  #fail(what: string, count: number): void {
    if (count === 0) return;
    this.#failed[what] = (this.#failed[what] ?? 0) + count;
  }

  #result(): Soaked {
    return {
      seconds: Math.round((performance.now() - this.#began.ms) / 1_000),
      bears: this.#bears,
      perSecond: this.#perSecond,
      coreShare: this.#coreShare(),
      ...this.#counts,
      failed: { ...this.#failed },
      rssMb: [...this.#rssMb],
      rssSlopeMbPerHour: slopeOf(this.#rssMb.slice(this.#rssMb.length >> 1), 10 / 3_600),
      p99Ms: this.#p99Ms,
    };
  }
}

async function every(ms: number, isOver: () => boolean, act: () => Promise<void>): Promise<void> {
  for (;;) {
    // In short steps: the end is not waited for.
    for (const untilMs = performance.now() + ms; performance.now() < untilMs && !isOver(); ) await sleep(50);
    if (isOver()) return;
    await act();
  }
}

/** Of the line through them with the least squares; `step` is how far they are apart. */
function slopeOf(values: readonly number[], step: number): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  for (const [at, value] of values.entries()) {
    above += (at - middle) * (value - mean);
    below += (at - middle) ** 2;
  }
  return below === 0 ? 0 : above / below / step;
}
