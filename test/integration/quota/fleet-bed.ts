import { setTimeout as sleep } from 'node:timers/promises';
import type { DedicatedCoordinatorSnapshot, QuotaSnapshot } from '../../../src/quota/index.js';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { Child } from './child.js';

export const CUSTOMERS = ['gmail', 'calendar', 'android', 'batch', 'mallory'] as const;
export type Customer = (typeof CUSTOMERS)[number];

/** A key each, as requests carry them. */
const KEYS = Object.fromEntries(CUSTOMERS.map((customer) => [`key-of-${customer}`, customer]));

/** CPU-seconds a second of each, on all backends together. */
export const QUOTA = 0.15;

/** Milliseconds of CPU of a request: this, a tenth more or less, and what it takes to answer in a process that was asleep. */
const BURN_MS = 4.5;
const ANSWER_MS = 0.3;

/** How much of its quota a customer wants, as a rule. */
export const USUAL = 0.55;

const BACKENDS = 8;

interface BackendReading {
  readonly used: Readonly<Record<string, number>>;
  /** Of the whole process, in seconds. */
  readonly cpu: number;
  readonly quota: QuotaSnapshot;
}

interface LoadReading {
  readonly [key: string]: {
    readonly sent: number;
    readonly statuses: Readonly<Record<string, number>>;
    readonly errors: number;
    readonly latencies: readonly number[];
  };
}

/** CPU-seconds a second, by who used them. */
export interface Cores {
  /** By handlers of customers' requests. */
  readonly requests: number;
  /** All else that backends do: connections, refusals, reports. */
  readonly backends: number;
  /** Of the one that sends the requests, on the same machine. */
  readonly load: number;
}

/** What became of one customer between two readings. */
export interface Share {
  /** Used by its handlers, of its quota, by the operating system's count of CPU. */
  readonly ofQuota: number;
  /** Charged by all backends together in the last seconds. */
  readonly charged: number;
  readonly sent: number;
  readonly refused: number;
  /** Anything that is neither an answer nor a 429. */
  readonly failed: number;
  readonly p99Ms: number;
}

export interface Reading {
  readonly seconds: number;
  readonly customers: Readonly<Record<Customer, Share>>;
  /** Of all customers but mallory together: what was served took so long, in milliseconds. */
  readonly othersLatencies: readonly number[];
  readonly cores: Cores;
  readonly stages: readonly string[];
}

/** Eight backends, a coordinator and one to take its place, a Redis and somebody who sends requests: a process each. */
export class QuotaFleet {
  readonly redis: RedisServer;
  readonly backends: readonly Child[];
  #coordinators: Child[];
  readonly #shared: object;
  readonly load: Child;
  #used: Record<string, number> = {};
  #backendCpu = 0;
  #loadCpu = 0;
  #readMs = performance.now();

  private constructor(redis: RedisServer) {
    this.redis = redis;
    const limits = { everyoneElse: { perSecond: QUOTA } };
    const shared = { redis: { url: redis.url, connectMs: 10_000 }, service: 'search', limits };
    this.#shared = shared;
    this.#coordinators = [0, 1].map(() => new Child('quota-coordinator', shared));
    this.backends = Array.from(
      { length: BACKENDS },
      () =>
        new Child('quota-backend', { quota: { ...shared, coordinates: false }, burnMs: BURN_MS, keys: KEYS }),
    );
    this.load = new Child('quota-load');
  }

  static async start(): Promise<QuotaFleet> {
    const fleet = new QuotaFleet(await RedisServer.start());
    await Promise.all(fleet.#coordinators.map((child) => child.said()));
    const bound = await Promise.all(fleet.backends.map((child) => child.said<{ port: number }>()));
    await fleet.load.ask({ to: bound.map(({ port }) => port) });
    return fleet;
  }

  /** From now on each customer wants so much of its quota. */
  async want(wanted: Readonly<Record<Customer, number>>): Promise<void> {
    const perSecond = (customer: Customer) => (wanted[customer] * QUOTA * 1_000) / (BURN_MS + ANSWER_MS);
    await this.load.ask({
      at: Object.fromEntries(CUSTOMERS.map((name) => [`key-of-${name}`, perSecond(name)])),
    });
  }

  async stages(): Promise<string[]> {
    const readings = await Promise.all(this.backends.map((child) => child.ask<BackendReading>('read')));
    return readings.map(({ quota }) => quota.stage);
  }

  async untilFresh(): Promise<void> {
    let stages: string[] = [];
    const look = async () => {
      for (;;) {
        stages = await this.stages();
        if (stages.every((stage) => stage === 'fresh')) return;
        await sleep(50);
      }
    };
    const looking = look();
    await until('levels everywhere', () => stages.length > 0 && stages.every((stage) => stage === 'fresh'));
    await looking;
  }

  /** Another one takes over, and there is one more to take its place. */
  async killCoordinator(): Promise<void> {
    const asked = this.#coordinators.map((child) => child.ask<DedicatedCoordinatorSnapshot>({}));
    const at = (await Promise.all(asked)).findIndex(({ isCoordinator }) => isCoordinator);
    await this.#coordinators.splice(at, 1)[0]!.kill();
    this.#coordinators.push(new Child('quota-coordinator', this.#shared));
    await this.#coordinators.at(-1)!.said();
  }

  /** Since the last reading. */
  async read(): Promise<Reading> {
    const [{ counts: load, cpu: loadCpu }, ...backends] = await Promise.all([
      this.load.ask<{ counts: LoadReading; cpu: number }>({}),
      ...this.backends.map((child) => child.ask<BackendReading>('read')),
    ]);
    const now = performance.now();
    const seconds = (now - this.#readMs) / 1_000;
    this.#readMs = now;
    const before = this.#used;
    this.#used = {};
    for (const { used } of backends) {
      for (const [name, s] of Object.entries(used)) this.#used[name] = (this.#used[name] ?? 0) + s;
    }
    const sumOf = (used: Record<string, number>) => Object.values(used).reduce((sum, s) => sum + s, 0);
    const requests = sumOf(this.#used) - sumOf(before);
    const backendCpu = backends.reduce((sum, { cpu }) => sum + cpu, 0);
    const cores: Cores = {
      requests: requests / seconds,
      backends: (backendCpu - this.#backendCpu - requests) / seconds,
      load: (loadCpu - this.#loadCpu) / seconds,
    };
    [this.#backendCpu, this.#loadCpu] = [backendCpu, loadCpu];
    const latencies = (name: Customer) => load[`key-of-${name}`]?.latencies ?? [];
    const shareOf = (name: Customer): Share => {
      const { sent = 0, statuses = {}, errors = 0 } = load[`key-of-${name}`] ?? {};
      const used = (this.#used[name] ?? 0) - (before[name] ?? 0);
      const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
      const refused = statuses[429] ?? 0;
      return {
        ofQuota: used / seconds / QUOTA,
        charged: backends.reduce((sum, { quota }) => sum + usedBy(name, quota), 0) / QUOTA,
        sent,
        refused,
        failed: errors + answered - refused - (statuses[200] ?? 0),
        p99Ms: p99(latencies(name)),
      };
    };
    return {
      seconds,
      customers: Object.fromEntries(CUSTOMERS.map((name) => [name, shareOf(name)])) as Reading['customers'],
      othersLatencies: CUSTOMERS.filter((name) => name !== 'mallory').flatMap(latencies),
      cores,
      stages: backends.map(({ quota }) => quota.stage),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.load, ...this.#coordinators, ...this.backends].map((child) => child.kill()));
    await this.redis.stop();
  }
}

function usedBy(name: Customer, { customers }: QuotaSnapshot): number {
  return customers.find(({ customer }) => customer === name)?.usedPerSecond ?? 0;
}

export function p99(latencies: readonly number[]): number {
  return latencies.toSorted((a, b) => a - b)[Math.floor(0.99 * latencies.length)] ?? 0;
}
