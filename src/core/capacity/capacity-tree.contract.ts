import { SeededRandom } from '../seeded-random.js';
import { VirtualLoop } from '../virtual-loop.contract.js';
import { CapacityBook } from './capacity-book.js';
import { CapacityLease } from './capacity-lease.js';
import type { CapacityAsk, CapacityGrant } from './capacity-messages.js';
import { CapacityNode } from './capacity-node.js';

export const CAPACITY = 500;

/**
 * The lease outlasts the longest outage that clients should not notice, 90 s, and what it may be old already at each of
 * three levels: 90 + 3 × (2 + 1) < 105. It is not longer, as two things take a lease: to learn when not all are heard, and
 * until what a dead client had is free. To move capacity from one side of the tree to the other takes an ask at each
 * level down, one more each up to say that it was heard, and an ask each down again: 3 × 2 + 3 × 0.5 + 3 × 0.5 s and the
 * delays, which is short against a minute. It costs 26 asks a second in all.
 */
const TIMES = { leaseMs: 105_000, refreshMs: 2_000, hurryMs: 500 };

const TICK_MS = 250;
const TIMEOUT_MS = 1_000;
const MOST_DELAY_MS = 300;
const LOSS = 0.02;

export const MISHAPS = [
  'server restarts',
  'server unreachable for 90 s',
  'client disappears',
  'wants jump',
  'master changes',
  'lease from the parent ends',
] as const;

export type Mishap = (typeof MISHAPS)[number];

/** Whoever asks: a server below another, or a client. */
interface Asker {
  readonly askAtMs: number;
  ask(now: number): CapacityAsk;
  granted(now: number, turn: number, grant: CapacityGrant): boolean;
  failed(now: number, turn: number): void;
}

/** Where a server runs, whichever it is by now. */
interface Place {
  readonly name: string;
  readonly parent: Place | undefined;
  server: CapacityBook | CapacityNode | undefined;
  isReachable: boolean;
  /** Only the way to its parent. */
  isCutOff: boolean;
}

interface Client {
  readonly lease: CapacityLease;
  readonly place: Place;
  wants: number;
}

/** A root, 3 regions, 9 datacenters, 45 clients, on a network that delays and loses; and what befalls them. */
export class CapacityTree {
  readonly #loop = new VirtualLoop();
  readonly #random: SeededRandom;
  readonly #places: Place[] = [];
  readonly #clients: Client[] = [];
  #lives = 0;
  /** The most that clients could use at any instant. */
  most = 0;
  /** Of what could be used, tick by tick. */
  readonly used: number[] = [];
  asks = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    const root = this.#place('root', undefined);
    for (let region = 0; region < 3; region++) {
      const above = this.#place(`region-${region}`, root);
      for (let datacenter = 0; datacenter < 3; datacenter++) {
        const place = this.#place(`datacenter-${region}-${datacenter}`, above);
        for (let client = 0; client < 5; client++) this.#join(place);
      }
    }
    // At the very first nobody can have a lease: there is nothing to learn.
    for (const place of this.#places) this.#start(place, 0);
  }

  get now(): number {
    return this.#loop.now;
  }

  run(ms: number): void {
    const endMs = this.now + ms;
    while (this.now < endMs) {
      this.#loop.runUntil(this.now + TICK_MS);
      for (const place of this.#places) {
        if (place.server instanceof CapacityNode) this.#poll(place.server, place, place.parent!);
      }
      for (const { lease, place } of this.#clients) this.#poll(lease, undefined, place);
      this.#measure();
    }
  }

  befall(mishap: Mishap): void {
    this.#mishaps[mishap]();
  }

  readonly #mishaps: Record<Mishap, () => void> = {
    'server restarts': () => this.#replace(this.#anyOf(this.#places), 5_000),
    // The lease in the election ends before another wins.
    'master changes': () => this.#replace(this.#anyOf(this.#regions()), 1_000 + this.#random.below(10_000)),
    'server unreachable for 90 s': () => {
      const place = this.#anyOf(this.#places);
      place.isReachable = false;
      this.#loop.after(90_000, () => {
        place.isReachable = true;
      });
    },
    'lease from the parent ends': () => {
      const place = this.#anyOf(this.#places.slice(1));
      place.isCutOff = true;
      this.#loop.after(TIMES.leaseMs + 30_000, () => {
        place.isCutOff = false;
      });
    },
    'client disappears': () => {
      const [gone] = this.#clients.splice(this.#random.below(this.#clients.length), 1);
      this.#loop.after(30_000, () => this.#join(gone!.place));
    },
    'wants jump': () => {
      for (const client of this.#clients) {
        if (this.#random.next() < 0.3) this.#want(client);
      }
    },
  };

  #regions(): Place[] {
    return this.#places.filter(({ name }) => name.startsWith('region'));
  }

  #anyOf<T>(list: readonly T[]): T {
    return list[this.#random.below(list.length)]!;
  }

  #place(name: string, parent: Place | undefined): Place {
    const place: Place = { name, parent, server: undefined, isReachable: true, isCutOff: false };
    this.#places.push(place);
    return place;
  }

  #start(place: Place, learningMs: number | undefined): void {
    const { name: client, parent } = place;
    if (parent === undefined) {
      place.server = new CapacityBook(this.now, {
        ...TIMES,
        capacity: CAPACITY,
        safeCapacity: 0,
        learningMs,
      });
      return;
    }
    const random = () => this.#random.next();
    const who = { client, life: `life-${this.#lives++}` };
    place.server = new CapacityNode(this.now, who, random, { ...TIMES, learningMs });
  }

  #replace(place: Place, downMs: number): void {
    place.server = undefined;
    this.#loop.after(downMs, () => this.#start(place, undefined));
  }

  #join(place: Place): void {
    const name = `client-${this.#lives++}`;
    const lease = new CapacityLease({ client: name, life: name }, () => this.#random.next());
    const client = { lease, place, wants: 0 };
    this.#want(client);
    this.#clients.push(client);
  }

  /** 22 on average, 1,000 in all: what two regions want is still more than there is, so that they can fill in for the third. */
  #want(client: Client): void {
    const draw = this.#random.next();
    client.wants = draw < 0.2 ? 5 : draw < 0.9 ? 10 + this.#random.below(25) : 60;
    client.lease.want([{ priority: 0, wants: client.wants, subclients: 1 }]);
  }

  #poll(asker: Asker, from: Place | undefined, to: Place): void {
    if (asker.askAtMs > this.now) return;
    const ask = asker.ask(this.now);
    this.asks++;
    this.#loop.after(TIMEOUT_MS, () => asker.failed(this.now, ask.turn));
    this.#send(from, to, () => {
      const grant = to.server?.refresh(this.now, ask);
      if (grant === undefined) return;
      this.#send(from, to, () => {
        asker.granted(this.now, ask.turn, grant);
        if (from === undefined) this.#sumUp();
      });
    });
  }

  #send(from: Place | undefined, to: Place, deliver: () => void): void {
    if (this.#random.next() < LOSS) return;
    this.#loop.after(5 + this.#random.below(MOST_DELAY_MS), () => {
      const isOpen = to.isReachable && (from === undefined || (from.isReachable && !from.isCutOff));
      if (isOpen) deliver();
    });
  }

  #sumUp(): void {
    let sum = 0;
    for (const { lease } of this.#clients) sum += lease.capacity(this.now);
    this.most = Math.max(this.most, sum);
  }

  #measure(): void {
    this.#sumUp();
    let [wanted, used] = [0, 0];
    for (const { lease, wants } of this.#clients) {
      wanted += wants;
      used += Math.min(wants, lease.capacity(this.now));
    }
    this.used.push(used / Math.min(CAPACITY, wanted));
  }
}

export interface TreeReport {
  readonly most: number;
  readonly mean: number;
  /** For how long at the most less than 96 % of what could be used was. */
  readonly lowMs: number;
  /** The same, but counted from the latest mishap: others may come before one is over. */
  readonly recoveryMs: number;
  readonly asksPerSecond: number;
}

/** In each period one mishap at some instant of its first minute; before, two minutes for the tree to fill. */
export function runMishaps(
  seed: number,
  periods: number,
  periodMs: number,
  draw: (random: SeededRandom) => Mishap,
): TreeReport {
  const random = new SeededRandom(seed, 1);
  const tree = new CapacityTree(seed);
  tree.run(120_000);
  const before = tree.used.length;
  const mishaps = new Set<number>();
  for (let period = 0; period < periods; period++) {
    const ms = TICK_MS * random.below(60_000 / TICK_MS);
    tree.run(ms);
    mishaps.add(tree.used.length - before);
    tree.befall(draw(random));
    tree.run(periodMs - ms);
  }
  const used = tree.used.slice(before);
  let [low, mostLow, recovery, mostRecovery] = [0, 0, 0, 0];
  for (const [tick, part] of used.entries()) {
    const isLow = part < 0.96;
    low = isLow ? low + 1 : 0;
    recovery = isLow && !mishaps.has(tick) ? recovery + 1 : 0;
    mostLow = Math.max(mostLow, low);
    mostRecovery = Math.max(mostRecovery, recovery);
  }
  return {
    most: tree.most,
    mean: used.reduce((sum, part) => sum + part, 0) / used.length,
    lowMs: mostLow * TICK_MS,
    recoveryMs: mostRecovery * TICK_MS,
    asksPerSecond: tree.asks / (tree.now / 1_000),
  };
}
