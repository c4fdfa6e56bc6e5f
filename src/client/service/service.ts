import type { Duplex } from 'node:stream';
import { errors } from 'undici';
import {
  AdaptiveThrottle,
  type Environment,
  type PageVerdict,
  RejectedError,
  RetryBudget,
} from '../../core/index.js';
import type { Health } from '../../wire/index.js';
import type { LeasedClientId } from '../client-id.js';
import type { ClientOptions, SubsetOptions } from '../client-options.js';
import type { ClientSettings } from '../client-settings.js';
import { type Connector, createConnector } from '../connections/socket-stash.js';
import type { Exchange } from '../dispatch/exchange.js';
import { HealthMonitor } from '../health/index.js';
import { createOwnConnector } from '../http1/own-connector.js';
import type { ClientObserver } from '../observing/observer.js';
import { BackendNews } from '../resolving/backend-news.js';
import type { ResolvedBackend, Resolver } from '../resolving/index.js';
import { chooseSubsetting } from './choose-subsetting.js';
import { Holding } from './holding.js';
import { LocalityRouting } from './locality-routing.js';
import { type GroupParts, ServiceGroup } from './service-group.js';

/** States that end by themselves are looked at so often. */
const LOOK_MS = 1_000;

/** A throttle that lets everything through: it refuses nothing before so many requests are counted. */
const NO_THROTTLE = { minimumRequests: Number.MAX_SAFE_INTEGER };

/** One service as one client knows it: where its backends are, how they are, and which of them this client uses. */
export class Service {
  readonly throttle: AdaptiveThrottle;
  readonly budget: RetryBudget;
  readonly environment: Environment;
  readonly settings: ClientSettings;
  readonly observer: ClientObserver | undefined;
  readonly monitor: HealthMonitor | undefined;
  readonly connector: Connector;
  readonly ownConnector: Connector;
  /** Connections that speak something else by now. */
  readonly upgraded = new Set<Duplex>();
  /** What the resolver could not find out last, until it could again. */
  resolverError: Error | undefined = undefined;
  readonly #resolver: Resolver;
  readonly #holding: Holding;
  /** All backends, or those of each locality; neither before the client knows its number. */
  #group: ServiceGroup | undefined = undefined;
  #routing: LocalityRouting | undefined = undefined;
  #leased: LeasedClientId | undefined = undefined;
  #lookTimer: NodeJS.Timeout | undefined = undefined;
  #backends: readonly ResolvedBackend[] | undefined = undefined;
  #isClosed = false;
  #running = 0;
  #onIdle: (() => void) | undefined = undefined;

  constructor(
    options: ClientOptions,
    settings: ClientSettings,
    resolver: Resolver,
    environment: Environment,
    observer: ClientObserver | undefined,
  ) {
    this.settings = settings;
    this.environment = environment;
    this.observer = observer;
    this.#resolver = resolver;
    this.#holding = new Holding(settings.startTimeoutMs, environment);
    this.throttle = new AdaptiveThrottle(
      environment.random,
      options.throttle === false ? NO_THROTTLE : options.throttle,
    );
    this.budget = new RetryBudget(settings.retry.budget);
    this.connector = createConnector(settings.connections);
    this.ownConnector = createOwnConnector(settings.connections);
    if (options.health !== false) {
      const listener = {
        onHealth: (key: string, health: Health) => this.#onHealth(key, health),
        onVerdict: (key: string, verdict: PageVerdict) =>
          this.#eachLink(key, (link) => link.onVerdict(verdict)),
        onSilent: (key: string) => this.#eachLink(key, (link) => link.onSilent()),
      };
      this.monitor = new HealthMonitor(listener, environment, options.health);
    }
    this.#identify(options.clientId);
    this.#lookTimer = setInterval(() => this.#look(), LOOK_MS).unref();
    const news = new BackendNews(resolver.name);
    const onError = (error: Error) => this.#onResolverError(error);
    // Nothing that comes from outside is believed, whoever brings it.
    news.listen({ onBackends: (backends) => this.#onBackends(backends), onError });
    resolver.start({
      onBackends: (backends) => news.tell(backends),
      onError: (error) => {
        news.onFailure();
        onError(error);
      },
    });
  }

  get groups(): readonly ServiceGroup[] {
    return this.#routing?.groups ?? (this.#group === undefined ? [] : [this.#group]);
  }

  get routing(): LocalityRouting | undefined {
    return this.#routing;
  }

  get held(): number {
    return this.#holding.size;
  }

  get backendCount(): number | undefined {
    return this.#backends?.length;
  }

  get resolverName(): string {
    return this.#resolver.name;
  }

  /** At the start requests wait for the first connection. False: it need not. */
  hold(exchange: Exchange, now: number): boolean {
    return !this.#isUsable(now) && this.#isHopeful() && this.#holding.hold(exchange);
  }

  unhold(exchange: Exchange): void {
    this.#holding.leave(exchange);
  }

  /** Whose backends a request goes to; undefined when no locality has room for it. */
  choose(now: number): ServiceGroup | undefined {
    return this.#routing === undefined ? this.#group : this.#routing.choose(now);
  }

  /** Why none was chosen. */
  refusal(now: number): RejectedError {
    if (this.#routing !== undefined && this.#routing.groups.length > 0) return this.#routing.error(now);
    const reason = this.resolverError === undefined ? '' : `: ${this.resolverError.message}`;
    const message = `no backend of the service is known yet${reason}`;
    return new RejectedError('PLIMSOLL_NO_BACKEND', message, { retry: 'later' });
  }

  /** A request has begun. */
  onStarted(): void {
    this.#running++;
  }

  onEnded(): void {
    if (--this.#running === 0) this.#onIdle?.();
  }

  /** Those that were taken on go on to their end, with all their attempts; then everything is closed. */
  async close(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    if (this.#isClosed) return;
    this.#stop();
    await Promise.all(this.groups.map((group) => group.close()));
    this.monitor?.close();
    await this.#release();
  }

  async destroy(error?: Error): Promise<void> {
    const reason = error ?? new errors.ClientDestroyedError();
    this.#holding.fail(reason);
    this.#stop();
    this.monitor?.close();
    for (const socket of this.upgraded) socket.destroy();
    await Promise.all(this.groups.map((group) => group.destroy(reason)));
    await this.#release();
  }

  /** Once: another client may have the number by the second time. */
  async #release(): Promise<void> {
    const leased = this.#leased;
    this.#leased = undefined;
    await leased?.release();
  }

  #stop(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#resolver.close();
    clearInterval(this.#lookTimer);
    this.#holding.release();
  }

  #isUsable(now: number): boolean {
    if (this.#routing === undefined) return this.#group?.isUsable(now) === true;
    return this.#routing.groups.some((group) => group.isUsable(now));
  }

  /** The resolver has said nothing yet, or some backend has not been tried. */
  #isHopeful(): boolean {
    if (this.#isClosed) return false;
    if (this.#backends === undefined) return true;
    return this.groups.length === 0 || this.groups.some((group) => group.isHopeful);
  }

  #identify(given: ClientOptions['clientId']): void {
    if (typeof given !== 'object') {
      this.#create(given, this.settings.subset);
      return;
    }
    Promise.resolve()
      .then(() => given.lease())
      .then((leased) => {
        if (this.#isClosed) return leased.release();
        this.#leased = leased;
        return this.#create(leased.id, this.settings.subset);
      })
      .catch((error: Error) => {
        if (this.#isClosed) return;
        this.observer?.onResolverError(error);
        // A client without a number is better than none. It cannot have subsets that need one.
        const { subset } = this.settings;
        this.#create(undefined, subset && { ...subset, algorithm: undefined });
      });
  }

  #create(clientId: number | undefined, subset: SubsetOptions | undefined): void {
    const isFixed = this.#resolver.name === 'static';
    const parts: GroupParts = {
      service: this,
      subsetting: chooseSubsetting(subset, clientId, this.environment.random, isFixed),
    };
    const { localities } = this.settings;
    if (localities === undefined) this.#group = new ServiceGroup(parts);
    else this.#routing = new LocalityRouting(parts, localities);
    if (this.#backends !== undefined) this.#update(this.#backends);
  }

  #onBackends(backends: readonly ResolvedBackend[]): void {
    if (this.#isClosed) return;
    this.resolverError = undefined;
    this.#backends = backends;
    this.#update(backends);
  }

  #update(backends: readonly ResolvedBackend[]): void {
    this.#group?.update(backends);
    this.#routing?.update(backends);
    this.onNews();
  }

  #onResolverError(error: Error): void {
    if (this.#isClosed) return;
    this.resolverError = error;
    this.observer?.onResolverError(error);
    this.onNews();
  }

  /** For groups: something has become of a backend. */
  onNews(): void {
    if (this.#holding.size === 0) return;
    if (this.#isUsable(this.environment.monotonicMs()) || !this.#isHopeful()) this.#holding.release();
  }

  /** For groups: a backend cannot be reached; perhaps the list is old. */
  onUnreachable(): void {
    this.#resolver.refresh();
  }

  #onHealth(key: string, { state, report }: Health): void {
    for (const group of this.groups) group.onHealth(key, state, report);
  }

  #eachLink(key: string, tell: (link: NonNullable<ReturnType<ServiceGroup['link']>>) => void): void {
    for (const group of this.groups) {
      const link = group.link(key);
      if (link !== undefined) tell(link);
    }
  }

  /** Whether backends of this service are called so. */
  isCalled(host: string): boolean {
    return this.groups.some((group) =>
      [...group.links].some((link) => (link.host ?? link.url.host) === host),
    );
  }

  #look(): void {
    const now = this.environment.monotonicMs();
    for (const group of this.groups) group.look(now);
    this.#routing?.look(now);
  }
}
