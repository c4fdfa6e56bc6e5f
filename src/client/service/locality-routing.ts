import {
  type Environment,
  LocalityRouter,
  type LocalityState,
  noCapacityError,
  type RejectedError,
  type Snapshot,
} from '../../core/index.js';
import type { LocalityOptions } from '../client-options.js';
import type { ResolvedBackend } from '../resolving/index.js';
import { type GroupParts, ServiceGroup } from './service-group.js';

/** Backends without a zone are together somewhere. */
const NOWHERE = 'unknown';

/** The nearest locality first, and never past the capacity of any: a group of backends for each. */
export class LocalityRouting {
  readonly router: LocalityRouter;
  readonly #parts: GroupParts;
  readonly #options: LocalityOptions;
  readonly #environment: Environment;
  readonly #groups = new Map<string, ServiceGroup>();
  /** Of each group, when the router was last told. */
  readonly #seen = new Map<ServiceGroup, Snapshot>();

  constructor(parts: GroupParts, options: LocalityOptions) {
    const { own: _own, distances: _distances, ...routing } = options;
    this.#parts = parts;
    this.#options = options;
    this.#environment = parts.service.environment;
    this.router = new LocalityRouter(routing);
  }

  get groups(): readonly ServiceGroup[] {
    return [...this.#groups.values()];
  }

  get named(): ReadonlyMap<string, ServiceGroup> {
    return this.#groups;
  }

  update(backends: readonly ResolvedBackend[]): void {
    const byZone = groupByZone(backends);
    for (const [zone, group] of this.#groups) {
      if (byZone.has(zone)) continue;
      // Kept while it is empty: its requests end there, and it may come back.
      group.update([]);
    }
    for (const [zone, members] of byZone) {
      const known = this.#groups.get(zone);
      const group = known ?? this.#newGroup(zone);
      group.update(members);
    }
    this.look(this.#environment.monotonicMs());
  }

  choose(now: number): ServiceGroup | undefined {
    if (this.#hasNews(now)) this.look(now);
    const zone = this.router.choose(now);
    if (zone === undefined) return undefined;
    const chosen = this.#groups.get(zone);
    return chosen?.caller.hasRoom(now) === false ? (this.#withRoom(now) ?? chosen) : chosen;
  }

  /**
   * The nearest that has room right now, where the one whose turn it is has none: capacities that nobody has named, and
   * backends that report nothing, show only in how many requests are under way. It counts there as a retry does.
   */
  #withRoom(now: number): ServiceGroup | undefined {
    const nearest = [...this.#groups].toSorted(([a], [b]) => this.#distanceOf(a) - this.#distanceOf(b));
    return nearest.find(([zone, { caller }]) => caller.hasRoom(now) && this.router.tryTake(zone, now))?.[1];
  }

  /** About once a second, and at once when something has become of a backend. */
  look(now: number): void {
    for (const [zone, group] of this.#groups) {
      if (!group.isOver) continue;
      this.#groups.delete(zone);
      this.#seen.delete(group);
      void group.close();
    }
    this.router.update(
      [...this.#groups]
        .filter(([, group]) => group.listed.size > 0)
        .map(([zone, group]) => this.#stateOf(zone, group, now)),
      now,
    );
  }

  error(now: number): RejectedError {
    return noCapacityError(this.router.snapshot(now));
  }

  #newGroup(zone: string): ServiceGroup {
    const group = new ServiceGroup({
      ...this.#parts,
      tryTakeCapacity: (now) => this.router.tryTake(zone, now),
    });
    this.#groups.set(zone, group);
    return group;
  }

  #hasNews(now: number): boolean {
    for (const group of this.#groups.values())
      if (group.roster.snapshot(now) !== this.#seen.get(group)) return true;
    return false;
  }

  #stateOf(name: string, group: ServiceGroup, now: number): LocalityState {
    const snapshot = group.roster.snapshot(now);
    this.#seen.set(group, snapshot);
    let total = 0;
    for (const _ of group.roster.members()) total++;
    const state = { name, distance: this.#distanceOf(name), healthy: snapshot.backends.length, total };
    const utilization = group.utilization();
    return utilization === undefined ? state : { ...state, utilization };
  }

  #distanceOf(zone: string): number {
    const { own, distances = {} } = this.#options;
    if (zone === own) return 0;
    return distances[zone] ?? 1 + Math.max(0, ...Object.values(distances));
  }
}

function groupByZone(backends: readonly ResolvedBackend[]): Map<string, ResolvedBackend[]> {
  const byZone = new Map<string, ResolvedBackend[]>();
  for (const backend of backends) {
    const zone = backend.zone ?? NOWHERE;
    const members = byZone.get(zone);
    if (members === undefined) byZone.set(zone, [backend]);
    else members.push(backend);
  }
  return byZone;
}
