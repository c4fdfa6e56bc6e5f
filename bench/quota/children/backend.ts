import { setTimeout as sleep } from 'node:timers/promises';
import { QuotaMember } from 'plimsoll/core';
import { createQuotaCoordinator } from 'plimsoll/quota';
import { cpuMs, isGreedy, namesOf } from '../customers.js';
import { type MemberLoop, parts, type RedisLink, type RedisQuotaExchange } from '../parts.js';

export interface CoordinatorOptions {
  readonly url: string;
  readonly isInAHurry: boolean;
}

export interface BackendOptions {
  /** Of Redis. */
  readonly url: string;
  readonly customers: number;
  /** Before the first turn: in a hurry, until all code is compiled. */
  readonly warmMs: number;
  /** At the begin of each turn: until levels have been heard. */
  readonly settleMs: number;
  readonly turnMs: number;
  readonly rounds: number;
}

/** In per cent of a core, of one turn after the other. */
export interface BackendCost {
  /** While nothing is reported or heard. */
  readonly silent: readonly number[];
  readonly sharing: readonly number[];
  readonly reportsPerSecond: number;
}

/** Requests come in portions, as often as this. */
const PORTION_MS = 50;

/** Defaults of `createQuota`. */
const PREFIX = 'plimsoll:quota:';
const EVERY_MS = 250;

const SERVICE = 'bench';

/** Some of what comes four times a second is compiled after minutes only, and processes live for days: here in half a minute. */
const HURRY_MS = 10;

/** Who is held stays held in turns without levels. Otherwise each turn would begin with something that production has once a month. */
const AGES = { freshMs: 600_000, holdMs: 1_200_000 };

/** Most want three a second, and are named in levels; one in ten wants fourteen, and is held. */
const LIMITS = { everyoneElse: { perSecond: 4 } };

let coordinator: { close(): Promise<void> } | undefined;

/** As often as is said from now on, by another one. */
export async function coordinate({ url, isInAHurry }: CoordinatorOptions): Promise<void> {
  await coordinator?.close();
  const everyMs = isInAHurry ? HURRY_MS : EVERY_MS;
  coordinator = await createQuotaCoordinator({ redis: { url }, service: SERVICE, limits: LIMITS, everyMs });
}

let backend: Backend | undefined;

/** Until all code is compiled; what was compiled for one backend is not thrown away for another. */
export async function warm({ url, customers, warmMs }: BackendOptions): Promise<void> {
  backend = await Backend.start(url, customers);
  const loop = await backend.share(HURRY_MS);
  await sleep(warmMs);
  loop.close();
}

/**
 * What a second of it costs, its customers' requests included: with reports and levels and without them, in turn. Who was
 * held stays held without them, so that all else is the same.
 */
export async function serve({ settleMs, turnMs, rounds }: BackendOptions): Promise<BackendCost> {
  const [silent, sharing]: [number[], number[]] = [[], []];
  let reports = 0;
  for (let round = 0; round < rounds; round++) {
    const loop = await backend!.share(EVERY_MS);
    await sleep(settleMs);
    const before = loop.counts.reports;
    sharing.push(await corePercentOf(turnMs));
    reports += loop.counts.reports - before;
    const { stage } = backend!.member;
    if (stage !== 'fresh') throw new Error(`the backend was ${stage}, and not fresh`);
    loop.close();
    await sleep(settleMs);
    silent.push(await corePercentOf(turnMs));
  }
  return { silent, sharing, reportsPerSecond: (reports / rounds / turnMs) * 1_000 };
}

/** With requests all the time, and reports and levels some of it. */
class Backend {
  readonly member = new QuotaMember(LIMITS, AGES);
  readonly #url: string;
  readonly #exchange: RedisQuotaExchange;

  private constructor(url: string, link: RedisLink, customers: number) {
    this.#url = url;
    this.#exchange = new parts.RedisQuotaExchange(link, PREFIX, SERVICE);
    setInterval(sender(this.member, customers), PORTION_MS);
  }

  static async start(url: string, customers: number): Promise<Backend> {
    return new Backend(url, await parts.createLink({ url }), customers);
  }

  /** Until that is closed. */
  async share(everyMs: number): Promise<MemberLoop> {
    const loop = new parts.MemberLoop({
      member: this.member,
      backend: 'backend',
      everyMs,
      ages: AGES,
      random: Math.random,
      onTurn: () => {},
    });
    const { channel } = this.#exchange;
    const hear = (bytes: Uint8Array) => loop.hear(bytes);
    loop.start(this.#exchange, await parts.createSubscriber({ url: this.#url }, channel, hear));
    return loop;
  }
}

async function corePercentOf(ms: number): Promise<number> {
  const [cpuBefore, beganMs] = [cpuMs(), performance.now()];
  await sleep(ms);
  return ((cpuMs() - cpuBefore) / (performance.now() - beganMs)) * 100;
}

/** Of each customer three requests a second. */
function sender({ enforcement }: QuotaMember, customers: number): () => void {
  const names = namesOf(customers);
  let portion = 0;
  return () => {
    const now = performance.now();
    portion++;
    for (let customer = portion % 7; customer < customers; customer += 7) {
      const [name, wanted] = [names[customer]!, isGreedy(customer) ? 5 : 1];
      for (let request = 0; request < wanted; request++) {
        if (enforcement.admit(name, 'CRITICAL', request / wanted, now) === 'admit')
          enforcement.charge(name, 'CRITICAL', 1, now);
      }
    }
  };
}
