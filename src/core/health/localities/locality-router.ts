import { checkNonNegative, checkPositive, checkWithin, withDefaults } from '../../check.js';
import { elapsedMs } from '../../elapsed.js';
import { RollingSum } from '../../measuring/rolling-sum.js';
import { ALLOWANCE_DEFAULTS, type AllowanceOptions, nextAllowance } from './allowance.js';
import {
  byLevel,
  checkLocality,
  effectiveWeight,
  HEALTH_SHARE_DEFAULTS,
  type HealthShareOptions,
  healthShares,
  spill,
  sumOf,
} from './health-shares.js';
import type { LocalityRouterSnapshot, LocalityState } from './locality-snapshot.js';

/** How much each locality may be sent: by what its owner says it can, and by what its backends report. */
export interface LocalityRouterOptions extends AllowanceOptions, HealthShareOptions {
  /** Requests per second that one healthy backend may be sent; Infinity = bounded by utilization alone. */
  readonly capacityPerBackend: number;
  /**
   * The part of every locality's capacity that is this router's own: 1 for a gateway that carries all the traffic. What
   * comes to less than one request a second is never sent.
   */
  readonly capacityShare: number;
}

export const LOCALITY_ROUTER_DEFAULTS: LocalityRouterOptions = Object.freeze({
  ...ALLOWANCE_DEFAULTS,
  ...HEALTH_SHARE_DEFAULTS,
  // Only the owner of the backends knows it, and a wrong guess leaves a datacenter idle or does not protect it.
  capacityPerBackend: Number.POSITIVE_INFINITY,
  capacityShare: 1,
});

/**
 * The cap must hold in *any* second, so requests are counted over the last second in slots of 10 ms. RollingSum covers
 * up to one slot more: 1 % of the capacity stays unused, and an even stream of 100/101 of it never meets the cap.
 */
const SECOND = { windowMs: 1_000, slots: 100 };
const EVEN = SECOND.slots / (SECOND.slots + 1);

/**
 * When there has been too much for all for this long, what becomes free is taken no faster than a tenth of a second's
 * worth in each tenth. Taken at once it would go on in the rhythm of the first rush, all of it in the same third of each
 * second, and backends would refuse a fifth of it at 80 % of their capacity.
 */
const PACED_AFTER_MS = 2_000;
const PACE = { windowMs: 100, slots: 10 };
const PACED_PART = PACE.windowMs / SECOND.windowMs;

class Locality {
  state: LocalityState;
  readonly sent = new RollingSum(SECOND);
  /** They use up capacity, but are no part of what was offered, and so of nobody's share. */
  readonly retries = new RollingSum(SECOND);
  readonly sentJustNow = new RollingSum(PACE);
  /** Requests that this router may send it in any one second: a hard cap. */
  capacity = 0;
  /**
   * The part of the router's traffic that would bring it to its target utilization; 1 = nothing speaks against more.
   */
  allowance = 1;
  /** Its part of the traffic until the next update … */
  share = 0;
  /** … and what it has saved up of its next turn. */
  credit = 0;

  constructor(state: LocalityState) {
    this.state = state;
  }

  /** One more would be no faster than its capacity is, evenly. */
  isInPace(now: number): boolean {
    return this.sentJustNow.total(now) + 1 <= Math.max(1, this.capacity * PACED_PART);
  }

  /** One more would be within the capacity of a second. */
  hasRoom(now: number): boolean {
    return this.sent.total(now) + this.retries.total(now) + 1 <= this.capacity;
  }

  take(now: number): string {
    this.sent.add(now);
    this.sentJustNow.add(now);
    return this.state.name;
  }
}

/**
 * Which locality (zone, datacenter) a request goes to: the nearest first, never more than its capacity, by utilization
 * and not by request count alone, since requests get dearer. What the nearest cannot take goes to the next; only
 * what none can take is refused (SRE ch. 21: "redirect when possible").
 *
 * About once a second `update` divides the traffic: by health (see `healthShares`), and what is above a locality's
 * allowance or capacity spills to the next. When all are at their target, half of the reserve above it is used too, the
 * nearest first. Until the next update `choose` deals the requests out in these shares, and keeps the caps.
 *
 * It deals by saving up: each request adds to every locality's credit its share, and goes where most is saved. Drawing
 * lots would be off by √n requests of n; this is off by less than one or two, whatever the rate, and without bursts.
 */
export class LocalityRouter {
  readonly #options: LocalityRouterOptions;
  /**
   * How much above its allowance a locality is full: half-way from its target to utilization 1. Not all the way,
   * since a signal that ends at 1 looks the same when full and when flooded, and nothing would be refused any more.
   */
  readonly #fullness: number;
  readonly #offered = new RollingSum(SECOND);
  /** Nearest first. */
  #localities: readonly Locality[] = [];
  #departed: readonly Locality[] = [];
  /** The part of the traffic that no one has room for. */
  #refusedShare = 0;
  /** Since when there is such a part. */
  #tooMuchSinceMs = Number.POSITIVE_INFINITY;
  #offeredAtUpdate = 0;
  #updatedMs = Number.NEGATIVE_INFINITY;

  constructor(given?: Partial<LocalityRouterOptions>) {
    this.#options = checkOptions(given);
    this.#fullness = (1 + this.#options.targetUtilization) / (2 * this.#options.targetUtilization);
  }

  /** These are the localities now. What was learned about those that stay is kept. */
  update(states: readonly LocalityState[], now: number): void {
    checkStates(states);
    // Those that have left are remembered for a second: what they were sent counts if they come back.
    const departed = this.#departed.filter(({ sent }) => sent.total(now) > 0);
    const known = new Map(
      [...departed, ...this.#localities].map((locality) => [locality.state.name, locality]),
    );
    const offered = this.#offered.total(now);
    const sinceMs = elapsedMs(this.#updatedMs, now);
    const update = (state: LocalityState): Locality => {
      const locality = known.get(state.name) ?? new Locality(state);
      // One request more on either side: from no traffic nothing is learned, from a few requests only a little.
      const taken = Math.min(1, (locality.sent.total(now) + 1) / (offered + 1));
      const { utilization, healthy, weight, capacityPerBackend = this.#options.capacityPerBackend } = state;
      locality.allowance = nextAllowance(locality.allowance, utilization, taken, sinceMs, this.#options);
      const isUsable = healthy > 0 && weight !== 0;
      locality.capacity = isUsable ? healthy * capacityPerBackend * this.#options.capacityShare : 0;
      locality.state = state;
      return locality;
    };
    this.#localities = states.toSorted((a, b) => a.distance - b.distance).map(update);
    this.#departed = [...known.values()].filter((locality) => !this.#localities.includes(locality));
    this.#offeredAtUpdate = offered;
    this.#updatedMs = now;
    this.#divide();
    this.#tooMuchSinceMs =
      this.#refusedShare > 0 ? Math.min(this.#tooMuchSinceMs, now) : Number.POSITIVE_INFINITY;
  }

  /** Where to send one request; undefined when no locality has room (answer with `noCapacityError`). */
  choose(now: number): string | undefined {
    this.#offered.add(now);
    const turn = this.#nextTurn();
    if (turn?.hasRoom(now)) return turn.take(now);
    // It has had its second's worth, or the shares say "refuse". They are up to a second old: who has room right now?
    const fullRate = this.#fullness * this.#offeredAtUpdate;
    const isPaced = elapsedMs(this.#tooMuchSinceMs, now) >= PACED_AFTER_MS;
    for (const locality of this.#localities) {
      const { allowance } = locality;
      const isAllowed = allowance === 1 || locality.sent.total(now) + 1 <= allowance * fullRate;
      if (isAllowed && locality.hasRoom(now) && (!isPaced || locality.isInPace(now)))
        return locality.take(now);
    }
    return undefined;
  }

  /** May one more be sent to this locality, which was chosen before: a retry? If so it counts there. */
  tryTake(name: string, now: number): boolean {
    const locality = this.#localities.find(({ state }) => state.name === name);
    if (locality === undefined || !locality.hasRoom(now)) return false;
    locality.retries.add(now);
    return true;
  }

  /** The numbers behind the decisions, as plain data. */
  snapshot(now: number): LocalityRouterSnapshot {
    return {
      offeredPerSecond: this.#offered.total(now),
      refusedShare: this.#refusedShare,
      localities: this.#localities.map(({ state, sent, capacity, allowance, share }) => ({
        ...state,
        sentPerSecond: sent.total(now),
        capacityPerSecond: capacity === Number.POSITIVE_INFINITY ? undefined : capacity,
        allowance,
        share,
      })),
    };
  }

  /**
   * Shares by health, then what is too much for one goes to the next: up to their targets, then until they are full.
   */
  #divide(): void {
    const { overprovisioning } = this.#options;
    const states = this.#localities.map((locality) => locality.state);
    const wishes = healthShares(states, { overprovisioning });
    const weights = states.map((state) => effectiveWeight(state, overprovisioning));
    const levels = byLevel(states);
    // A capacity of 0 has a weight of 0: it gets nothing, and its 0 · ∞ is never looked at.
    const perRequest = EVEN / this.#offeredAtUpdate;
    const limitsAt = (fullness: number) =>
      this.#localities.map(({ allowance, capacity }) =>
        Math.min(allowance * fullness, capacity * perRequest),
      );
    const targets = limitsAt(1);
    const shares = wishes.map((wish, index) => (wish > 0 ? Math.min(wish, targets[index]!) : 0));
    const excess = sumOf(wishes) - sumOf(shares);
    const left = spill(excess, shares, targets, weights, levels);
    this.#refusedShare = spill(left, shares, limitsAt(this.#fullness), weights, levels);
    for (const [index, locality] of this.#localities.entries()) locality.share = shares[index]!;
  }

  /**
   * Whose turn it is; undefined when it is one to refuse: shares that sum to less than 1 save up less than is spent,
   * and now and then nobody has anything left. (When they sum to 1, that only means that one has left with its
   * savings.)
   */
  #nextTurn(): Locality | undefined {
    let turn: Locality | undefined;
    let most = this.#refusedShare > 0 ? 0 : Number.NEGATIVE_INFINITY;
    for (const locality of this.#localities) {
      if (locality.share === 0) continue;
      locality.credit += locality.share;
      if (locality.credit <= most) continue;
      most = locality.credit;
      turn = locality;
    }
    if (turn !== undefined) turn.credit -= 1;
    return turn;
  }
}

function checkCapacity(perBackend: number): void {
  if (perBackend !== Number.POSITIVE_INFINITY) checkPositive('capacityPerBackend', perBackend);
}

function checkOptions(given: Partial<LocalityRouterOptions> | undefined): LocalityRouterOptions {
  const options = withDefaults('localityRouter', LOCALITY_ROUTER_DEFAULTS, given);
  checkCapacity(options.capacityPerBackend);
  for (const field of ['capacityShare', 'targetUtilization', 'probeShare'] as const) {
    checkWithin(field, checkPositive(field, options[field]), 0, 1);
  }
  for (const field of ['fallMs', 'growMs', 'overprovisioning'] as const) checkPositive(field, options[field]);
  return options;
}

function checkStates(states: readonly LocalityState[]): void {
  const names = new Set<string>();
  for (const state of states) {
    checkLocality(state);
    if (state.utilization !== undefined) checkNonNegative('utilization', state.utilization);
    if (state.capacityPerBackend !== undefined) checkCapacity(state.capacityPerBackend);
    if (names.has(state.name)) throw new RangeError(`localities must be distinct, got ${state.name} twice`);
    names.add(state.name);
  }
}
