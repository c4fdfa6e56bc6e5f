import {
  type Backend,
  Caller,
  type Environment,
  type GateState,
  hashedSeats,
  type LoadReport,
  type Picker,
  Roster,
  Subset,
} from '../../core/index.js';
import { BackendLink } from '../connections/backend-link.js';
import { hostnameOf } from '../connections/target.js';
import type { Exchange } from '../dispatch/exchange.js';
import type { ResolvedBackend } from '../resolving/index.js';
import { type Subsetting, warnOfAnonymity } from './choose-subsetting.js';
import { LastResorts } from './last-resorts.js';
import { meanUtilization } from './mean-utilization.js';
import { Probes } from './probes.js';
import type { Service } from './service.js';

export interface GroupParts {
  readonly service: Service;
  readonly subsetting: Subsetting;
  /** Asked before each retry, where localities have capacities. */
  readonly tryTakeCapacity?: (now: number) => boolean;
}

/** Backends of one service, of one locality if those are told apart: subset, connections, and who gets which request. */
export class ServiceGroup {
  readonly caller: Caller<Exchange>;
  readonly roster: Roster;
  readonly picker: Picker;
  readonly probes: Probes | undefined;
  readonly #parts: GroupParts;
  readonly #service: Service;
  readonly #environment: Environment;
  readonly #subset: Subset | undefined;
  readonly #links = new Map<string, BackendLink>();
  readonly #byBackend = new WeakMap<Backend, BackendLink>();
  /** Links of backends that are no longer used, until their requests are over. */
  readonly #leaving = new Map<BackendLink, Promise<void>>();
  readonly #lastResorts: LastResorts;
  #expiryTimer: NodeJS.Timeout | undefined = undefined;
  #listed: ReadonlyMap<string, ResolvedBackend> = new Map();
  #isClosed = false;

  constructor(parts: GroupParts) {
    const { service, subsetting, tryTakeCapacity } = parts;
    const { settings, environment, throttle, budget, monitor } = service;
    this.#parts = parts;
    this.#service = service;
    this.#environment = environment;
    this.roster = new Roster(settings.roster);
    this.#lastResorts = new LastResorts(this.roster);
    this.picker = settings.createPicker(this.roster, environment.random);
    const { roster, picker } = this;
    const limiter = settings.createLimiter();
    this.caller = new Caller(
      {
        service: settings.name,
        roster,
        picker,
        throttle,
        budget,
        ...(tryTakeCapacity === undefined ? {} : { tryTakeCapacity }),
        ...(limiter === undefined ? {} : { limiter }),
      },
      { maxAttempts: settings.retry.maxAttempts, waiting: settings.waiting },
    );
    this.#subset = subsetting.options === undefined ? undefined : new Subset(subsetting.options);
    const { probing } = picker;
    if (probing !== undefined && monitor !== undefined)
      this.probes = new Probes(probing, monitor, environment);
  }

  get links(): Iterable<BackendLink> {
    return this.#links.values();
  }

  /** Backends that the resolver knows of, in the subset or not. */
  get listed(): ReadonlyMap<string, ResolvedBackend> {
    return this.#listed;
  }

  get waiting(): number {
    return this.caller.line.size;
  }

  linkOf(backend: Backend): BackendLink {
    return this.#byBackend.get(backend)!;
  }

  link(key: string): BackendLink | undefined {
    return this.#links.get(key);
  }

  /** What the resolver says. */
  update(backends: readonly ResolvedBackend[]): void {
    if (this.#isClosed) return;
    const sorted = backends.toSorted((a, b) => (a.url < b.url ? -1 : 1));
    this.#listed = new Map(sorted.map((backend) => [backend.url, backend]));
    const keys = sorted.map(({ url }) => url);
    this.#subset?.update(this.#parts.subsetting.seats === 'hashed' ? hashedSeats(keys) : keys);
    this.#adopt();
    for (const { url, state } of sorted) this.#links.get(url)?.onResolved(state ?? 'ready');
    const { options, isAnonymous } = this.#parts.subsetting;
    if (isAnonymous && options!.size < sorted.length) warnOfAnonymity(options!.size, sorted.length);
  }

  /** Who is to be connected to: the members, and those whose place others have taken until they are back. */
  #adopt(): void {
    const members = this.#subset?.members ?? [...this.#listed.keys()];
    const wanted = new Set([...members, ...(this.#subset?.preferred ?? [])]);
    for (const [key, link] of this.#links) {
      const listed = this.#listed.get(key);
      if (!wanted.has(key) || listed?.host !== link.givenHost) this.#drop(link);
    }
    for (const key of wanted) if (!this.#links.has(key)) this.#add(this.#listed.get(key)!);
    this.roster.update(members);
    const now = this.#environment.monotonicMs();
    for (const key of members) {
      const link = this.#links.get(key)!;
      const backend = this.roster.get(key)!;
      link.backend = backend;
      this.#byBackend.set(backend, link);
      this.#lastResorts.mark(link, now);
    }
    this.resume(now);
  }

  #add(listed: ResolvedBackend): void {
    const { settings, environment, monitor, connector, ownConnector } = this.#service;
    const link = new BackendLink({
      key: listed.url,
      host: listed.host ?? settings.host,
      givenHost: listed.host,
      zone: listed.zone,
      options: settings.connections,
      connector,
      ownConnector,
      environment,
      onChange: (changed) => this.#onChange(changed),
    });
    this.#links.set(link.key, link);
    const { tls } = settings.connections;
    const named = link.host === undefined ? tls : { servername: hostnameOf(link.host), ...tls };
    monitor?.add(link.key, link.url, named, link.host);
    link.open();
  }

  #drop(link: BackendLink): void {
    this.#links.delete(link.key);
    this.#lastResorts.forget(link.key);
    this.#service.monitor?.remove(link.key);
    const closing = link.close().then(() => {
      this.#leaving.delete(link);
    });
    this.#leaving.set(link, closing);
  }

  #onChange(link: BackendLink): void {
    if (this.#isClosed || this.#links.get(link.key) !== link) return;
    const now = this.#environment.monotonicMs();
    const { connection, key } = link;
    this.#service.observer?.onBackendState(key, connection);
    if (connection === 'refusing') this.#service.onUnreachable();
    this.#service.monitor?.setPace(key, this.#paceOf(link, now));
    // There again: it may be starting, and can say so. So can one that is going, or is not.
    if (connection === 'connecting' || connection === 'unhealthy' || link.hasSaidGoAway)
      this.#service.monitor?.checkSoon(key);
    // A hint is no reason to connect to another: who really goes is told, or seen to have gone, in a moment. Silence is one.
    const isHinted = link.isLastResort && link.hasSaidGoAway;
    const isUp = connection === 'ready' || link.isBeingTried || isHinted;
    const change = this.#subset?.setUp(key, isUp);
    if (change !== undefined && change.joined.length + change.left.length > 0) this.#adopt();
    else this.#lastResorts.mark(link, now);
    this.#service.onNews();
    this.resume(now);
  }

  #paceOf(link: BackendLink, now: number): 'active' | 'inactive' | 'down' {
    if (link.connection !== 'ready') return 'down';
    return link.isActive(now) ? 'active' : 'inactive';
  }

  /** Nothing is listed here any more, and nothing runs or waits. */
  get isOver(): boolean {
    return this.#listed.size === 0 && this.#leaving.size === 0 && this.waiting === 0;
  }

  /** What a backend says when it is asked how it is. */
  onHealth(key: string, state: GateState, report: LoadReport): void {
    this.#links.get(key)?.onHealth(state, report);
    const backend = this.roster.get(key);
    if (backend !== undefined) this.picker.report(backend, report, this.#environment.monotonicMs());
  }

  /** About once a second. */
  look(now: number): void {
    for (const link of this.#links.values()) {
      link.look(now);
      this.#service.monitor?.setPace(link.key, this.#paceOf(link, now));
    }
  }

  /** There is a backend to send to, or there was one just now. */
  isUsable(now: number): boolean {
    return this.roster.snapshot(now).backends.length > 0;
  }

  /** Some backend has not been tried yet. */
  get isHopeful(): boolean {
    for (const link of this.#links.values()) if (link.isBeingTried) return true;
    return false;
  }

  /** Mean of what its backends report; undefined when none does. */
  utilization(): number | undefined {
    return meanUtilization(this.#links.values());
  }

  /** A call waits for room. */
  onWait(): void {
    this.#setExpiry();
  }

  /** There may be room for those that wait. */
  resume(now: number): void {
    if (this.waiting === 0) return;
    for (let call = this.caller.resume(now); call !== undefined; call = this.caller.resume(now))
      call.request.follow(now);
    this.#setExpiry();
  }

  #setExpiry(): void {
    const { nextExpiryMs } = this.caller;
    if (nextExpiryMs === undefined || this.#expiryTimer !== undefined) return;
    const afterMs = Math.max(1, Math.ceil(nextExpiryMs - this.#environment.monotonicMs()));
    this.#expiryTimer = setTimeout(() => {
      this.#expiryTimer = undefined;
      const now = this.#environment.monotonicMs();
      for (let call = this.caller.expire(now); call !== undefined; call = this.caller.expire(now))
        call.request.follow(now);
      this.#setExpiry();
    }, afterMs);
  }

  /** No more is sent; what runs goes on to its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.probes?.close();
    await Promise.all([...[...this.#links.values()].map((link) => link.close()), ...this.#leaving.values()]);
    clearTimeout(this.#expiryTimer);
    this.#expiryTimer = undefined;
  }

  async destroy(error: Error): Promise<void> {
    this.#isClosed = true;
    this.probes?.close();
    const now = this.#environment.monotonicMs();
    for (const { request } of this.caller.line.all()) request.fail(error, now);
    await Promise.all([...this.#links.values(), ...this.#leaving.keys()].map((link) => link.destroy(error)));
    clearTimeout(this.#expiryTimer);
    this.#expiryTimer = undefined;
  }
}
